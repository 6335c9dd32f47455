// Two-level collectives, by hand, and on nodes whose inner links are faster.
#include "netmodels/two_level.hpp"

#include <gtest/gtest.h>

#include "netmodels/path.hpp"
#include "netmodels/ring.hpp"
#include "tests/netmodels/slow_link.hpp"

namespace netmodels {

// Two-level all-reduce: figures by hand, and its limits as a plain ring.

namespace {

using namespace literals;

using netmodels::testing::kLink;

TEST(HierarchicalAllReduce, TwoNodesOfThreeByHand) {  // 4 (1 ms + 10 MB/100 MB/s) + 2 (1 ms + 5 MB/100 MB/s)
  EXPECT_NEAR(hierarchical_allreduce_time({6, 30_MB, 3}, kLink).count, 4 * 0.101 + 2 * 0.051, 1e-15);
}

TEST(HierarchicalAllReduce, NodesOfOneRankAreAPlainRing) {
  const Operation operation{6, 30_MB, 1};
  EXPECT_NEAR(hierarchical_allreduce_time(operation, kLink).count,
              ring_allreduce_time(operation, kLink).count, 1e-15);
  EXPECT_EQ(hierarchical_allreduce(operation).messages(), ring_allreduce(operation).messages());
}

TEST(HierarchicalAllReduce, OneNodeOfAllRanksIsAPlainRing) {
  const Operation operation{6, 30_MB, 6};
  EXPECT_NEAR(hierarchical_allreduce_time(operation, kLink).count,
              ring_allreduce_time(operation, kLink).count, 1e-15);
  EXPECT_NEAR(hierarchical_allreduce(operation).bytes().count, ring_allreduce(operation).bytes().count, 1e-6);
}

TEST(HierarchicalAllReduce, OneRankIsFree) {
  EXPECT_EQ(hierarchical_allreduce_time({1, 30_MB}, kLink), Seconds{});
  EXPECT_EQ(hierarchical_allreduce({1, 30_MB}).messages(), 0U);
}

TEST(HierarchicalAllReduce, TheOuterRoundsLeaveTheNodeAndTheInnerOnesStay) {
  const Schedule schedule = hierarchical_allreduce({12, 12_MB, 4});
  ASSERT_EQ(schedule.phases.size(), 3U);
  for (const Transfer& transfer : schedule.phases[0].rounds[0]) EXPECT_EQ(transfer.from / 4, transfer.to / 4);
  for (const Transfer& transfer : schedule.phases[1].rounds[0]) {
    EXPECT_EQ((transfer.from / 4 + 1) % 3, transfer.to / 4);
    EXPECT_EQ(transfer.from % 4, transfer.to % 4);
  }
}

TEST(HierarchicalAllReduce, BetweenNodesOnlyARankthOfTheMessageMoves) {  // 2(n-1) rounds of N messages of M/N
  const Schedule schedule = hierarchical_allreduce({12, 12_MB, 4});
  EXPECT_EQ(schedule.phases[1].repeat, 4U);
  EXPECT_EQ(schedule.phases[1].rounds[0][0].size, 1_MB);
}

}  // namespace

// Two-level all-gather, broadcast and AR-Topk: figures by hand, limits, and who sends to whom.

namespace {

using namespace literals;

using netmodels::testing::kLink;

TEST(HierarchicalAllGather, TwoNodesOfThreeByHand) {  // 1 (1 ms + 5 MB/100 MB/s) + 2 (1 ms + 10 MB/100 MB/s)
  EXPECT_NEAR(hierarchical_allgather_time({6, 30_MB, 3}, kLink).count, 0.051 + 2 * 0.101, 1e-15);
}

TEST(HierarchicalAllGather, OneLevelIsAPlainRing) {
  for (const std::uint32_t group : {1U, 6U}) {
    const Operation operation{6, 30_MB, group};
    EXPECT_NEAR(hierarchical_allgather_time(operation, kLink).count,
                ring_allgather_time(operation, kLink).count, 1e-15);
    EXPECT_NEAR(hierarchical_allgather(operation).bytes().count, ring_allgather(operation).bytes().count,
                1e-6);
  }
}

TEST(HierarchicalAllGather, EveryRankReceivesAllButItsOwnContribution) {  // (N-1)/N M each
  EXPECT_NEAR(hierarchical_allgather({12, 12_MB, 4}).bytes().count, 12 * 11e6, 1e-3);
}

// log2 4 = 2: 2 ms + 3 (1 MB/100 MB/s) + 2 (1 ms + 4 MB/100 MB/s) + 2 (1 ms + 12 MB/100 MB/s)
TEST(LeaderAllGather, ThreeNodesOfFourByHand) {
  EXPECT_NEAR(leader_allgather_time({12, 12_MB, 4}, kLink).count, 0.002 + 0.03 + 2 * 0.041 + 2 * 0.121,
              1e-15);
}

TEST(LeaderAllGather, OnlyLeadersSendBetweenNodes) {
  std::size_t between = 0;
  for (const Phase& phase : leader_allgather({12, 12_MB, 4}).phases) {
    for (const Transfer& transfer : phase.rounds[0]) {
      if (transfer.from / 4 == transfer.to / 4) continue;
      EXPECT_EQ(transfer.from % 4, 0U);
      EXPECT_EQ(transfer.to % 4, 0U);
      EXPECT_EQ(transfer.size, 4_MB);
      between += phase.repeat;
    }
  }
  EXPECT_EQ(between, 3U * 2U);  // each of three leaders passes two blocks on
}

TEST(LeaderAllGather, ALeaderGathersEachContributionOfItsNodeOnce) {  // nodes of 5: the last subtree is one
  const Schedule schedule = leader_allgather({5, 5_MB, 5});
  Bytes at_leader;
  for (std::size_t phase = 0; phase < 3; ++phase) {
    for (const Transfer& transfer : schedule.phases[phase].rounds[0])
      if (transfer.to == 0) at_leader += transfer.size;
  }
  EXPECT_EQ(at_leader, 4_MB);
}

TEST(LeaderAllGather, TakesFewerRoundsThanAllRanksOnLargeNodes) {
  const LinkState latency_only{1_ms, {1e30}};
  EXPECT_LT(leader_allgather_time({64, 1_MB, 16}, latency_only),
            hierarchical_allgather_time({64, 1_MB, 16}, latency_only));  // 4 + 3 + 4 rounds against 3 + 15
}

TEST(HierarchicalBroadcast, ThreeNodesOfFourByHand) {  // (2 + 2) (1 ms + 120 ms)
  EXPECT_NEAR(hierarchical_broadcast_time({12, 12_MB, 4}, kLink).count, 4 * 0.121, 1e-15);
}

TEST(HierarchicalBroadcast, EntersEachNodeOnceAndReachesEveryRankOnce) {
  std::vector<int> received(12);
  std::size_t between = 0;
  for (const Phase& phase : hierarchical_broadcast({12, 12_MB, 4}).phases) {
    for (const Transfer& transfer : phase.rounds[0]) {
      ++received[transfer.to];
      if (transfer.from / 4 != transfer.to / 4) ++between;
    }
  }
  EXPECT_EQ(between, 2U);
  EXPECT_EQ(received, (std::vector<int>{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(ArTopkHierarchical, TwoNodesOfThreeByHand) {  // (1 + 2) (1 ms + 300 ms), then the all-reduce
  EXPECT_NEAR(ar_topk_hierarchical_time({6, 30_MB, 3}, kLink).count, 3 * 0.301 + 4 * 0.101 + 2 * 0.051,
              1e-15);
}

// Nodes whose links inside are faster than those between them: each rank has a link of either kind in each
// direction, so no messages meet, and every stage takes its own link.

constexpr LinkState kInner{{1e-5}, {10e9}};

/// Links 4r and 4r+1 (up, down) of rank r between nodes, 4r+2 and 4r+3 inside; half of the latency on each.
struct TwoLevelNetwork {
  std::uint32_t ranks;
  std::uint32_t group;
  std::vector<Route> table = std::vector<Route>(std::size_t{ranks} * ranks);

  [[nodiscard]] NetworkState state() const {
    NetworkState state;
    for (std::uint32_t link = 0; link < 4 * ranks; ++link) {
      const LinkState& kind = link % 4 < 2 ? kLink : kInner;
      state.links.push_back({kind.latency / 2, kind.bandwidth});
    }
    return state;
  }
  [[nodiscard]] Routes routes() {
    return [this](std::uint32_t from, std::uint32_t to) -> const Route& {
      const std::uint32_t inside = from / group == to / group ? 2 : 0;
      return table[std::size_t{from} * ranks + to] = {4 * from + inside, 4 * to + 1 + inside};
    };
  }
  double time(const Schedule& schedule) {
    return RoutedSchedule(schedule, routes()).evaluate(state())->duration.count;
  }
};

TEST(TwoLevels, EachStageTakesTheLinksOfItsLevel) {  // 4 nodes of 8, M = 32 MB
  const Operation operation{32, 32_MB, 8};
  TwoLevelNetwork network{32, 8};
  const auto outer = [](double megabytes) { return kLink.time({megabytes * 1e6}).count; };
  const auto inner = [](double megabytes) { return kInner.time({megabytes * 1e6}).count; };
  const double all_reduce = 14 * inner(4) + 6 * outer(1);
  const double broadcast = 2 * outer(32) + 3 * inner(32);
  EXPECT_NEAR(network.time(hierarchical_allreduce(operation)), all_reduce, 1e-12);
  EXPECT_NEAR(network.time(hierarchical_allgather(operation)), 3 * outer(1) + 7 * inner(4), 1e-12);
  EXPECT_NEAR(network.time(leader_allgather(operation)),
              inner(1) + inner(2) + inner(4) + 3 * outer(8) + 3 * inner(32), 1e-12);
  EXPECT_NEAR(network.time(hierarchical_broadcast(operation)), broadcast, 1e-12);
  EXPECT_NEAR(network.time(ar_topk_hierarchical(operation)), broadcast + all_reduce, 1e-12);
}

}  // namespace
// Rings of the ranks of a node among themselves, and of those of equal index.

namespace {

using namespace literals;

using netmodels::testing::kLink;

TEST(NodeAllGather, ThreeRanksByHand) {  // 2 (1 ms + 10 MB/100 MB/s), on both nodes at once
  EXPECT_NEAR(node_allgather_time({6, 30_MB, 3}, kLink).count, 2 * 0.101, 1e-15);
  EXPECT_NEAR(node_allgather({6, 30_MB, 3}).bytes().count, 6 * 20e6, 1e-3);
  EXPECT_EQ(node_allgather_time({6, 30_MB, 1}, kLink), Seconds{});
}

TEST(NodeAllGather, StaysWithinNodes) {
  const Schedule schedule = node_allgather({12, 12_MB, 4});
  for (const Transfer& transfer : schedule.phases[0].rounds[0]) EXPECT_EQ(transfer.from / 4, transfer.to / 4);
}

TEST(BetweenNodesAllReduce,
     ThreeNodesByHand) {  // 4 (1 ms + 1 MB/100 MB/s): shards of 4 MB, a third at a time
  EXPECT_NEAR(between_nodes_allreduce_time({12, 12_MB, 4}, kLink).count, 4 * 0.011, 1e-15);
  EXPECT_EQ(between_nodes_allreduce_time({4, 12_MB, 4}, kLink), Seconds{});
}

TEST(BetweenNodesAllReduce, IsTheMiddleOfTheHierarchicalOne) {
  const Operation operation{12, 12_MB, 4};
  EXPECT_NEAR(
      2 * node_allgather_time(operation, kLink).count + between_nodes_allreduce_time(operation, kLink).count,
      hierarchical_allreduce_time(operation, kLink).count, 1e-15);
  EXPECT_EQ(between_nodes_allreduce(operation).messages(),
            hierarchical_allreduce(operation).messages() - 2 * node_allgather(operation).messages());
}

}  // namespace

}  // namespace netmodels
