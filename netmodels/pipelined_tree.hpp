// Pipelined chains and trees: the message is cut into chunks that follow each other, several of them in
// flight.
#pragma once

#include <cstdint>
#include <vector>

#include "netmodels/collective.hpp"

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

/// Hops from the root to the farthest rank.
std::uint32_t depth_of(const Tree& tree);

// A rank passes a chunk on when it has received all of it, so that the latencies of chunks that follow each
// other pass at the same time: the last chunk arrives as many hops after the first as there are ranks on the
// way, and as much later as all chunks take on one link. Where a rank has two children, or ranks belong to
// two trees, two streams share each link, at half of its rate each.

/// Chain broadcast from rank 0 in C chunks.
///
///   T = (N-1) latency + (N-2 + C) M/(C bandwidth)
///
/// Source: Thakur et al. 2005 (pipelined); Open MPI calls it pipeline.
Seconds pipelined_broadcast_time(const Operation& operation, const LinkState& link);
Schedule pipelined_broadcast(const Operation& operation);

/// All-reduce on a complete binary tree of depth D: reduce to rank 0, then broadcast.
///
///   T = 2 (D latency + (D-1 + C) 2M/(C bandwidth)),   D = floor(log2 N)
///
/// Two ranks are a chain. Unpipelined is C = 1.
/// Leaves out: the additions, and reducing while broadcasting.
Seconds binary_tree_allreduce_time(const Operation& operation, const LinkState& link);
Schedule binary_tree_allreduce(const Operation& operation);
Seconds pipelined_binary_tree_allreduce_time(const Operation& operation, const LinkState& link);
Schedule pipelined_binary_tree_allreduce(const Operation& operation);

/// All-reduce on two binary trees, each with half of the message, in which no rank is inner node twice, so
/// that both directions of its link are kept busy. With D the depth of the deeper tree,
///
///   T = 2 (D latency + (D-1 + C) M/(C bandwidth))
///
/// Two ranks send each other their halves at the full rate. Tends to 2 M/bandwidth for many chunks.
/// Leaves out: reducing while broadcasting, and NCCL's protocols.
/// Source: Sanders, Speck & Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
///         Parallel Computing 35(12), 2009.
Seconds double_binary_tree_allreduce_time(const Operation& operation, const LinkState& link);
Schedule double_binary_tree_allreduce(const Operation& operation);

}  // namespace netmodels
