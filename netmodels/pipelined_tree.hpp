// Pipelined broadcast trees: the message is cut into chunks that follow each other down.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

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
