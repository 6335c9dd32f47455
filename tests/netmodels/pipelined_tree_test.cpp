// Pipelined chains and trees: figures by hand, limits, and what every rank receives.
#include "netmodels/pipelined_tree.hpp"

#include <gtest/gtest.h>

#include "netmodels/tree_slots.hpp"
#include "tests/netmodels/slow_link.hpp"

namespace netmodels {
namespace {

using namespace literals;

using netmodels::testing::kLink;

Operation in_chunks(std::uint32_t ranks, Bytes size, std::uint32_t chunks) {
  return {ranks, size, 1, chunks, {}};
}

/// Bytes that each rank receives in the second half of the messages: those of the broadcast.
std::vector<double> received_in_broadcast(const Schedule& schedule) {
  std::vector<double> received(schedule.ranks);
  for (std::size_t phase = schedule.phases.size() / 2; phase < schedule.phases.size(); ++phase) {
    for (const Transfer& transfer : schedule.phases[phase].rounds[0])
      received[transfer.to] += transfer.size.count;
  }
  return received;
}

TEST(PipelinedBroadcast, FourRanksAndFiveChunksTakeSevenSlots) {  // 7 (1 ms + 2 MB / 100 MB/s)
  EXPECT_NEAR(pipelined_broadcast_time(in_chunks(4, 10_MB, 5), kLink).count, 7 * 0.021, 1e-15);
  EXPECT_EQ(pipelined_broadcast(in_chunks(4, 10_MB, 5)).rounds(), 7U);
}

TEST(PipelinedBroadcast, OneRankIsFree) {
  EXPECT_EQ(pipelined_broadcast_time(in_chunks(1, 10_MB, 5), kLink), Seconds{});
  EXPECT_EQ(pipelined_broadcast(in_chunks(1, 10_MB, 5)).messages(), 0U);
}

TEST(PipelinedBroadcast, ManyChunksTendToTheMessageAlone) {
  EXPECT_NEAR(pipelined_broadcast_time(in_chunks(8, 100_MB, 4096), {{}, {100e6}}).count, 1,
              6.0 / 4096 + 1e-12);
}

TEST(PipelinedBroadcast, ChunksFollowEachOtherDownTheChain) {
  const Schedule schedule = pipelined_broadcast(in_chunks(3, 4_MB, 2));
  EXPECT_EQ(schedule.phases[0].rounds[0].size(), 1U);  // 0 -> 1
  EXPECT_EQ(schedule.phases[1].rounds[0].size(), 2U);  // 0 -> 1 and 1 -> 2
  EXPECT_EQ(schedule.phases[2].rounds[0].size(), 1U);  // 1 -> 2
}

TEST(BinaryTreeAllReduce, ThreeRanksTakeTwoSlotsUpAndTwoDown) {
  EXPECT_NEAR(binary_tree_allreduce_time({3, 10_MB}, kLink).count, 4 * 0.101, 1e-15);
}

TEST(BinaryTreeAllReduce, TwoRanksSwapOnce) {
  EXPECT_NEAR(binary_tree_allreduce_time({2, 10_MB}, kLink).count, 2 * 0.101, 1e-15);
}

TEST(PipelinedBinaryTreeAllReduce, ThreeRanksAndFourChunksTakeEightSlotsEachWay) {
  EXPECT_NEAR(pipelined_binary_tree_allreduce_time(in_chunks(3, 8_MB, 4), kLink).count, 16 * 0.021, 1e-15);
}

TEST(PipelinedBinaryTreeAllReduce, OneChunkIsTheUnpipelinedTree) {
  for (const std::uint32_t ranks : {1U, 2U, 5U, 12U}) {
    EXPECT_EQ(pipelined_binary_tree_allreduce_time(in_chunks(ranks, 8_MB, 1), kLink),
              binary_tree_allreduce_time({ranks, 8_MB}, kLink));
  }
}

TEST(DoubleBinaryTreeAllReduce, CostsTwiceItsSlots) {
  const std::uint32_t slots = broadcast_timetable(two_binary_trees(6)).slots(4);
  EXPECT_NEAR(double_binary_tree_allreduce_time(in_chunks(6, 8_MB, 4), kLink).count, 2.0 * slots * 0.011,
              1e-14);
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
