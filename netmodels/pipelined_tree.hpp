// Pipelined broadcast trees: the message is cut into chunks that follow each other down, slot by slot.
#pragma once

#include <cstdint>
#include <vector>

#include "netmodels/collective.hpp"

namespace netmodels {

// In which slot a chunk moves along which tree edge, when a rank sends one message and receives one at a
// time.

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

// Pipelined broadcast trees: the message is cut into chunks that follow each other down.

/// Chain broadcast from rank 0 in C chunks.
///
///   T = (N - 2 + C) (latency + M/(C bandwidth))
///
/// Source: Thakur et al. 2005 (pipelined); Open MPI calls it pipeline.
Seconds pipelined_broadcast_time(const Operation& operation, const LinkState& link);
Schedule pipelined_broadcast(const Operation& operation);

/// All-reduce on a complete binary tree: reduce to rank 0, then broadcast, each rank sending one message and
/// receiving one at a time. With S slots from the first chunk at the root to the last one at the last leaf,
///
///   T = 2 S (latency + M/(C bandwidth)),   S = depth slots + 2 (C-1)
///
/// Unpipelined is C = 1; a child is served after its sibling, so S is up to 2 log2(N) there.
/// Leaves out: the additions, and reducing while broadcasting.
Seconds binary_tree_allreduce_time(const Operation& operation, const LinkState& link);
Schedule binary_tree_allreduce(const Operation& operation);
Seconds pipelined_binary_tree_allreduce_time(const Operation& operation, const LinkState& link);
Schedule pipelined_binary_tree_allreduce(const Operation& operation);

/// All-reduce on two binary trees, each with half of the message, in which no rank is inner node twice; a
/// rank sends one message and receives one at a time, so that both directions of its link are kept busy.
///
///   T = 2 S (latency + M/(2 C bandwidth)),   S = depth slots + 2 (C-1)
///
/// Tends to 2 M/bandwidth for many chunks. Leaves out: reducing while broadcasting, and NCCL's protocols.
/// Source: Sanders, Speck & Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
///         Parallel Computing 35(12), 2009.
Seconds double_binary_tree_allreduce_time(const Operation& operation, const LinkState& link);
Schedule double_binary_tree_allreduce(const Operation& operation);

}  // namespace netmodels
