// Pipelined chains and trees: shapes, figures by hand, and the chunks that every rank receives.
#include "netmodels/pipelined_tree.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/netmodels/slow_link.hpp"

namespace netmodels {

// Shapes of trees.

namespace {

/// Every rank is reached from the root, once.
void expect_spanning(const Tree& tree, std::uint32_t ranks) {
  std::set<std::uint32_t> seen{tree.root};
  std::vector<std::uint32_t> open{tree.root};
  while (!open.empty()) {
    const std::uint32_t rank = open.back();
    open.pop_back();
    EXPECT_LE(tree.children[rank].size(), 2U);
    for (const std::uint32_t child : tree.children[rank]) {
      EXPECT_TRUE(seen.insert(child).second) << child;
      open.push_back(child);
    }
  }
  EXPECT_EQ(seen.size(), ranks);
}

TEST(Trees, SpanAllRanksWithAtMostTwoChildren) {
  for (std::uint32_t ranks = 1; ranks <= 40; ++ranks) {
    expect_spanning(chain(ranks), ranks);
    expect_spanning(complete_binary_tree(ranks), ranks);
    for (const Tree& tree : two_binary_trees(ranks)) expect_spanning(tree, ranks);
  }
}

TEST(TwoBinaryTrees, NoRankHasChildrenInBoth) {
  for (std::uint32_t ranks = 2; ranks <= 70; ++ranks) {
    const auto trees = two_binary_trees(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_TRUE(trees[0].children[rank].empty() || trees[1].children[rank].empty())
          << rank << " of " << ranks;
    }
  }
}

TEST(CompleteBinaryTree, SevenRanksHangAsAHeap) {
  const Tree tree = complete_binary_tree(7);
  EXPECT_EQ(tree.children[0], (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(tree.children[2], (std::vector<std::uint32_t>{5, 6}));
  EXPECT_TRUE(tree.children[3].empty());
}

TEST(DepthOf, CountsHopsFromTheRoot) {
  EXPECT_EQ(depth_of(chain(1)), 0U);
  EXPECT_EQ(depth_of(chain(5)), 4U);
  EXPECT_EQ(depth_of(complete_binary_tree(3)), 1U);
  EXPECT_EQ(depth_of(complete_binary_tree(1024)), 10U);
  for (const Tree& tree : two_binary_trees(1024)) EXPECT_LE(depth_of(tree), 11U);
}

}  // namespace

// Times and schedules.

namespace {

using namespace literals;

using netmodels::testing::kLink;

Operation in_chunks(std::uint32_t ranks, Bytes size, std::uint32_t chunks) {
  return {ranks, size, 1, chunks, {}};
}

/// Bytes that each rank receives in the last phase: the broadcast.
std::vector<double> received_in_broadcast(const Schedule& schedule) {
  std::vector<double> received(schedule.ranks);
  const Phase& phase = schedule.phases.back();
  for (const Round& round : phase.rounds) {
    for (const Transfer& transfer : round)
      received[schedule.rank_of(transfer.to)] += transfer.size.count * phase.repeat;
  }
  return received;
}

TEST(PipelinedBroadcast, FourRanksPayThreeLatenciesAndSevenChunks) {  // 3 x 1 ms + 7 x 2 MB / 100 MB/s
  EXPECT_NEAR(pipelined_broadcast_time(in_chunks(4, 10_MB, 5), kLink).count, 3 * 0.001 + 7 * 0.02, 1e-15);
}

TEST(PipelinedBroadcast, LatencyIsPaidOnceAHopHoweverManyChunksThereAre) {
  for (const std::uint32_t chunks : {1U, 2U, 256U, 4096U}) {
    const Operation operation = in_chunks(4, 10_MB, chunks);
    const Seconds near = pipelined_broadcast_time(operation, {{}, {100e6}});
    const Seconds far = pipelined_broadcast_time(operation, {50_ms, {100e6}});
    EXPECT_NEAR((far - near).count, 3 * 0.05, 1e-12) << chunks;
  }
}

TEST(PipelinedBroadcast, OneRankIsFree) {
  EXPECT_EQ(pipelined_broadcast_time(in_chunks(1, 10_MB, 5), kLink), Seconds{});
  EXPECT_EQ(pipelined_broadcast(in_chunks(1, 10_MB, 5)).messages(), 0U);
}

TEST(PipelinedBroadcast, ManyChunksTendToTheMessageAlone) {
  EXPECT_NEAR(pipelined_broadcast_time(in_chunks(8, 100_MB, 4096), {{}, {100e6}}).count, 1,
              6.0 / 4096 + 1e-12);
}

TEST(PipelinedBroadcast, EveryChunkPassesEveryHop) {
  const Schedule schedule = pipelined_broadcast(in_chunks(3, 4_MB, 2));
  ASSERT_EQ(schedule.phases.size(), 1U);
  EXPECT_EQ(schedule.phases[0].rounds.size(), 2U);  // 0 -> 1, then 1 -> 2
  EXPECT_EQ(schedule.phases[0].repeat, 2U);
  EXPECT_EQ(received_in_broadcast(schedule), (std::vector<double>{0, 4e6, 4e6}));
}

TEST(BinaryTreeAllReduce, ThreeRanksShareTheRootsLink) {  // up and down: 1 ms + 2 x 10 MB / 100 MB/s
  EXPECT_NEAR(binary_tree_allreduce_time({3, 10_MB}, kLink).count, 2 * (0.001 + 0.2), 1e-15);
}

TEST(BinaryTreeAllReduce, TwoRanksSwapOnce) {
  EXPECT_NEAR(binary_tree_allreduce_time({2, 10_MB}, kLink).count, 2 * 0.101, 1e-15);
}

TEST(PipelinedBinaryTreeAllReduce, SevenRanksAndFourChunksTakeFiveChunkTimesEachWay) {
  // depth 2; a chunk of 2 MB takes 40 ms at half rate
  EXPECT_NEAR(pipelined_binary_tree_allreduce_time(in_chunks(7, 8_MB, 4), kLink).count,
              2 * (2 * 0.001 + 5 * 0.04), 1e-15);
}

TEST(PipelinedBinaryTreeAllReduce, OneChunkIsTheUnpipelinedTree) {
  for (const std::uint32_t ranks : {1U, 2U, 5U, 12U}) {
    EXPECT_EQ(pipelined_binary_tree_allreduce_time(in_chunks(ranks, 8_MB, 1), kLink),
              binary_tree_allreduce_time({ranks, 8_MB}, kLink));
  }
}

TEST(DoubleBinaryTreeAllReduce, SixRanksAndFourChunksByHand) {
  // trees of depth 2; a chunk of 1 MB takes 20 ms at half rate
  EXPECT_EQ(depth_of(two_binary_trees(6)[0]), 2U);
  EXPECT_EQ(depth_of(two_binary_trees(6)[1]), 2U);
  EXPECT_NEAR(double_binary_tree_allreduce_time(in_chunks(6, 8_MB, 4), kLink).count,
              2 * (2 * 0.001 + 5 * 0.02), 1e-15);
}

TEST(DoubleBinaryTreeAllReduce, TwoRanksSwapHalvesAtFullRate) {  // 4 chunks of 1 MB each way, twice
  EXPECT_NEAR(double_binary_tree_allreduce_time(in_chunks(2, 8_MB, 4), kLink).count, 2 * (0.001 + 4 * 0.01),
              1e-15);
}

TEST(DoubleBinaryTreeAllReduce, ManyChunksTendToTwiceTheMessage) {
  EXPECT_NEAR(double_binary_tree_allreduce_time(in_chunks(64, 100_MB, 4096), {{}, {100e6}}).count, 2,
              2 * 6. / 4096 + 1e-12);
}

TEST(DoubleBinaryTreeAllReduce, MovesTheMessageOnceUpAndOnceDownEveryEdge) {
  EXPECT_NEAR(double_binary_tree_allreduce(in_chunks(6, 8_MB, 4)).bytes().count, 2 * 5 * 8e6, 1e-6);
}

TEST(DoubleBinaryTreeAllReduce, OneRankIsFree) {
  EXPECT_EQ(double_binary_tree_allreduce_time(in_chunks(1, 8_MB, 4), kLink), Seconds{});
  EXPECT_EQ(double_binary_tree_allreduce(in_chunks(1, 8_MB, 4)).messages(), 0U);
}

TEST(DoubleBinaryTreeAllReduce, EveryRankReceivesTheWholeResult) {  // but for the half that a root has itself
  for (const std::uint32_t ranks : {2U, 3U, 7U, 8U, 21U}) {
    const auto trees = two_binary_trees(ranks);
    const auto received = received_in_broadcast(double_binary_tree_allreduce(in_chunks(ranks, 8_MB, 4)));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const int own_halves = (trees[0].root == rank ? 1 : 0) + (trees[1].root == rank ? 1 : 0);
      EXPECT_NEAR(received[rank], 8e6 - own_halves * 4e6, 1e-6) << rank << " of " << ranks;
    }
  }
}

}  // namespace
}  // namespace netmodels
