// Exchanges in stages: push and pull at a parameter server, AR-Topk, and two levels of nodes.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

// Parameter server: all push to one, all pull from it.

/// Rank 0 serves besides its own work; the other N-1 push M at once and pull M at once, sharing its link
/// fairly.
///
///   T = 2 latency + 2(N-1) M/bandwidth
///
/// Leaves out: the additions at the server. For N = 1 there is no other worker and T = 0.
/// Source: Table I (PS) of Tyagi & Swany, IEEE BigData 2023.
Seconds parameter_server_allreduce_time(const Operation& operation, const LinkState& link);
Schedule parameter_server_allreduce(const Operation& operation);

// AR-Topk: one rank's indices are broadcast, then everybody's values at these indices are all-reduced.

/// M is the bytes of the selected values (k * 4); the 4-byte indices that go before them are as many bytes.
///
///   T_ring = ceil(log2 N) (latency + M/bandwidth) + 2(N-1) latency + 2 (N-1)/N M/bandwidth
///   T_tree = 3 ceil(log2 N) (latency + M/bandwidth)
///
/// Leaves out: the choice of the broadcaster (VAR all-gathers N norms first), and indices of 8 bytes.
/// Source: (4a) and (4b) of Tyagi & Swany, IEEE BigData 2023.
Seconds ar_topk_ring_time(const Operation& operation, const LinkState& link);
Schedule ar_topk_ring(const Operation& operation);
Seconds ar_topk_tree_time(const Operation& operation, const LinkState& link);
Schedule ar_topk_tree(const Operation& operation);

// Two-level all-reduce: inside each node, between the nodes, inside again.

/// Reduce-scatter by a ring inside each node of g ranks, ring all-reduce of each piece between the n = N/g
/// nodes (g rings side by side), ring all-gather inside. On one kind of link:
///
///   T = 2(g-1) (latency + M/(g bandwidth)) + 2(n-1) (latency + M/(N bandwidth))
///
/// Leaves out: the additions. Where the g ranks of a node share one network card, the closed form does not
/// hold; the schedule does. Source: Jia et al., "Highly Scalable Deep Learning Training System with
/// Mixed-Precision", 2018, section 4.3.
Seconds hierarchical_allreduce_time(const Operation& operation, const LinkState& link);
Schedule hierarchical_allreduce(const Operation& operation);

}  // namespace netmodels
