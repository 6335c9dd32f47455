// Ring collectives: figures by hand, who sends what, and limits.
#include "netmodels/ring.hpp"

#include <gtest/gtest.h>

#include "netmodels/path.hpp"
#include "tests/netmodels/slow_link.hpp"

namespace netmodels {
namespace {

using namespace literals;

using netmodels::testing::kLink;

TEST(RingAllReduce, ThreeRanksTakeFourStepsOfAThird) {  // 4 (1 ms + 10 MB / 100 MB/s)
  EXPECT_NEAR(ring_allreduce_time({3, 30_MB}, kLink).count, 4 * 0.101, 1e-15);
}

TEST(RingAllReduce, OneRankIsFree) {
  EXPECT_EQ(ring_allreduce_time({1, 30_MB}, kLink), Seconds{});
  EXPECT_EQ(ring_allreduce({1, 30_MB}).messages(), 0U);
}

TEST(RingAllReduce, EveryRankSendsTwiceItsShareOfTheOthers) {  // 2 (N-1)/N M each, N of them
  const Schedule ring = ring_allreduce({5, 10_MB});
  EXPECT_EQ(ring.messages(), 2U * 4 * 5);
  EXPECT_NEAR(ring.bytes().count, 2 * 4 * 10e6, 1e-6);
}

TEST(RingAllReduce, IsStoredAsOneRoundHoweverManyRanksThereAre) {
  const Schedule ring = ring_allreduce({1024, 10_MB});
  ASSERT_EQ(ring.phases.size(), 1U);
  EXPECT_EQ(ring.phases[0].rounds.size(), 1U);
  EXPECT_EQ(ring.phases[0].repeat, 2046U);
}

TEST(RingAllReduce, SendsToTheNextRankRoundTheRing) {
  const Schedule ring = ring_allreduce({7, 7_MB});
  for (const Transfer& transfer : ring.phases[0].rounds[0]) {
    EXPECT_EQ(transfer.to, (transfer.from + 1) % 7);
    EXPECT_EQ(transfer.size, 1_MB);
  }
}

/// Rank r sends to rank r + 1 over link r.
double on_wires(const Schedule& schedule, const std::vector<LinkState>& links) {
  std::vector<Route> wires(schedule.ranks);
  for (std::uint32_t rank = 0; rank < schedule.ranks; ++rank) wires[rank] = {rank};
  const Routes routes = [&](std::uint32_t from, std::uint32_t) -> const Route& { return wires[from]; };
  return RoutedSchedule(schedule, routes).evaluate({{}, links, {}, {}, {}, 0})->duration.count;
}

TEST(RingAllReduce, PaysTheLatencyBetweenNodesWhereAChunkCrossesThem) {  // two nodes of two ranks
  const LinkState inside{{}, {1e9}};
  const LinkState between{1_ms, {1e9}};
  // 6 hops of 1 ms, every other of which crosses
  EXPECT_NEAR(on_wires(ring_allreduce({4, 4_MB}), {inside, between, inside, between}), 6e-3 + 3e-3, 1e-15);
}

TEST(RingAllReduce, KeepsASlowLinkBusy) {  // 6 chunks of 10 ms one after another, and one latency
  const LinkState fast{1_ms, {1e9}};
  const LinkState slow{1_ms, {1e8}};
  EXPECT_NEAR(on_wires(ring_allreduce({4, 4_MB}), {fast, fast, slow, fast}), 60e-3 + 1e-3, 1e-15);
}

TEST(RingAllReduce, TendsToTwiceTheMessageOverTheBandwidth) {
  EXPECT_NEAR(ring_allreduce_time({4096, 100_MB}, {{}, {100e6}}).count, 2, 2.0 / 4096 + 1e-12);
}

TEST(RingAllGather, ThreeRanksTakeTwoStepsOfAThird) {
  EXPECT_NEAR(ring_allgather_time({3, 30_MB}, kLink).count, 2 * 0.101, 1e-15);
  EXPECT_EQ(ring_allgather({3, 30_MB}).rounds(), 2U);
}

TEST(RingReduceScatter, IsHalfOfAnAllReduce) {
  const Operation operation{6, 10_MB};
  EXPECT_NEAR(2 * ring_reduce_scatter_time(operation, kLink).count,
              ring_allreduce_time(operation, kLink).count, 1e-15);
  EXPECT_EQ(2 * ring_reduce_scatter(operation).messages(), ring_allreduce(operation).messages());
}

TEST(RingAllGatherv, EqualPartsCostWhatTheAllGatherCosts) {
  Operation even{4, 8_MB};
  EXPECT_EQ(ring_allgatherv_time(even, kLink), ring_allgather_time(even, kLink));
  even.parts = {2_MB, 2_MB, 2_MB, 2_MB};
  EXPECT_EQ(ring_allgatherv_time(even, kLink), ring_allgather_time(even, kLink));
  EXPECT_EQ(ring_allgatherv(even).phases.size(), 1U);
}

TEST(RingAllGatherv, TheLargestPartSetsThePace) {  // 2 (1 ms + 5 MB / 100 MB/s)
  const Operation uneven{3, 8_MB, 1, 16, {1_MB, 5_MB, 2_MB}};
  EXPECT_NEAR(ring_allgatherv_time(uneven, kLink).count, 2 * 0.051, 1e-15);
}

TEST(RingAllGatherv, EveryRankReceivesEveryOtherPartOnce) {
  const std::vector<Bytes> parts{1_MB, 2_MB, 4_MB, 8_MB};
  const Schedule ring = ring_allgatherv({4, 15_MB, 1, 16, parts});
  std::vector<Bytes> received(4);
  for (const Phase& phase : ring.phases) {
    for (const Transfer& transfer : phase.rounds[0]) received[transfer.to] += transfer.size;
  }
  for (std::size_t rank = 0; rank < 4; ++rank) EXPECT_EQ(received[rank] + parts[rank], 15_MB) << rank;
}

TEST(RingAllGatherv, PassesOnWhatItReceivedLast) {
  const Schedule ring = ring_allgatherv({3, 7_MB, 1, 16, {1_MB, 2_MB, 4_MB}});
  ASSERT_EQ(ring.phases.size(), 2U);
  EXPECT_EQ(ring.phases[0].rounds[0][1].size, 2_MB);  // rank 1 begins with its own
  EXPECT_EQ(ring.phases[1].rounds[0][1].size, 1_MB);  // and goes on with that of rank 0
}

TEST(RingAllGatherv, OneRankIsFree) {
  EXPECT_EQ(ring_allgatherv_time({1, 3_MB}, kLink), Seconds{});
  EXPECT_EQ(ring_allgatherv({1, 3_MB, 1, 16, {3_MB}}).messages(), 0U);
}

}  // namespace
}  // namespace netmodels
