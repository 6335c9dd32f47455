// Pipelined trees against their closed form; their slots.
#include "netmodels/pipelined_tree.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/netmodels/slow_link.hpp"

namespace netmodels {

// Shapes of trees, and timetables in which no rank does two things of a kind at once.

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

/// In each slot a rank sends at most one chunk and receives at most one, and it holds what it sends.
void expect_sound(const std::vector<Tree>& trees, std::uint32_t ranks) {
  const Timetable timetable = broadcast_timetable(trees);
  ASSERT_EQ(timetable.edges.size(), trees.size() * (ranks - 1));
  std::set<std::pair<std::uint32_t, std::uint32_t>> sending;
  std::set<std::pair<std::uint32_t, std::uint32_t>> receiving;
  for (const EdgeSlot& edge : timetable.edges) {
    EXPECT_TRUE(sending.insert({edge.from, edge.first % timetable.period}).second) << edge.from;
    EXPECT_TRUE(receiving.insert({edge.to, edge.first % timetable.period}).second) << edge.to;
  }
  for (std::size_t first = 0; first < timetable.edges.size(); first += ranks - 1) {  // tree by tree
    std::map<std::uint32_t, std::uint32_t> arrives;
    for (std::size_t index = first; index < first + ranks - 1; ++index) {
      const EdgeSlot& edge = timetable.edges[index];
      EXPECT_TRUE(!arrives.contains(edge.from) || edge.first > arrives[edge.from]);
      arrives[edge.to] = edge.first;
    }
  }
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

TEST(BroadcastTimetable, NobodySendsOrReceivesTwoChunksAtOnce) {
  for (std::uint32_t ranks = 2; ranks <= 40; ++ranks) {
    expect_sound({chain(ranks)}, ranks);
    expect_sound({complete_binary_tree(ranks)}, ranks);
    expect_sound(two_binary_trees(ranks), ranks);
  }
}

TEST(BroadcastTimetable, AChainFillsOneSlotPerHopAndThenOnePerChunk) {
  const Timetable timetable = broadcast_timetable({chain(5)});
  EXPECT_EQ(timetable.period, 1U);
  EXPECT_EQ(timetable.slots(1), 4U);
  EXPECT_EQ(timetable.slots(10), 13U);
}

TEST(BroadcastTimetable, ARootWithTwoChildrenServesThemInTurns) {
  const Timetable timetable = broadcast_timetable({complete_binary_tree(3)});
  EXPECT_EQ(timetable.period, 2U);
  EXPECT_EQ(timetable.slots(1), 2U);
  EXPECT_EQ(timetable.slots(4), 8U);
}

TEST(BroadcastTimetable, OneRankNeedsNoSlot) { EXPECT_EQ(broadcast_timetable({chain(1)}).slots(7), 0U); }

TEST(BroadcastTimetable, DepthGrowsWithTheLogarithm) {
  EXPECT_LE(broadcast_timetable(two_binary_trees(1024)).slots(1), 2U * 11);
}

}  // namespace

// Pipelined chains and trees: figures by hand, limits, and the chunks that every rank receives.

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
