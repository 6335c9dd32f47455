// Exchanges in stages: push and pull at a parameter server, and AR-Topk.
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

// AR-Topk: one rank's indices are broadcast, then all ranks' values at these indices are all-reduced.

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

}  // namespace netmodels
