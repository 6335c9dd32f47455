// AR-Topk: one rank's indices are broadcast, then everybody's values at these indices are all-reduced.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

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
