// In which slot a chunk moves along which tree edge, when a rank sends one message and receives one at a
// time.
#pragma once

#include <cstdint>
#include <vector>

namespace netmodels {

/// A spanning tree: for each rank its children. No rank has more than two.
struct Tree {
  std::uint32_t root = 0;
  std::vector<std::vector<std::uint32_t>> children;
};

/// Rank i has the child i+1.
Tree chain(std::uint32_t ranks);

/// Rank i has the children 2i+1 and 2i+2.
Tree complete_binary_tree(std::uint32_t ranks);

/// Two trees over the same ranks in which a rank has children in at most one.
std::vector<Tree> two_binary_trees(std::uint32_t ranks);

/// An edge and the slot in which its first chunk moves; chunk k follows k periods later.
struct EdgeSlot {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t first;
};

/// A periodic timetable for a broadcast down one or two trees.
struct Timetable {
  std::vector<EdgeSlot> edges;
  std::uint32_t period =
      1;  ///< slots between chunks: 2 where some rank sends or receives on two edges, else 1

  /// Slots from the first chunk at the roots to the last one at the last leaf.
  [[nodiscard]] std::uint32_t slots(std::uint32_t chunks) const;
};

/// Colours the edges with two colours so that no rank sends or receives on two edges of one colour, and lets
/// each edge begin in the first slot of its colour after its sender has the chunk. Source: Sanders, Speck &
/// Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
///         Parallel Computing 35(12), 2009, sections 2 and 3.
Timetable broadcast_timetable(const std::vector<Tree>& trees);

}  // namespace netmodels
