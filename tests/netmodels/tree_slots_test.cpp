// Shapes of trees, and timetables in which no rank does two things of a kind at once.
#include "netmodels/tree_slots.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>

namespace netmodels {
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

/// In each slot a rank sends at most one chunk and receives at most one, and it has what it sends.
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
}  // namespace netmodels
