// Ring collectives: every rank passes its data to its neighbour, round after round.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

/// Ring all-reduce: reduce-scatter, then all-gather, on chunks of M/N.
///
///   T = 2(N-1) latency + 2 (N-1)/N M/bandwidth
///
/// Messages are received ahead, so that latencies of links between nodes are paid where a chunk crosses them.
///
/// Leaves out: the additions, and the start of the operation on the host.
/// Source: Patarasuk & Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
///         J. Parallel Distrib. Comput. 69(2), 2009; Table I of Tyagi & Swany, "Flexible Communication for
///         Optimal Distributed Learning over Unpredictable Networks", IEEE BigData 2023.
Seconds ring_allreduce_time(const Operation& operation, const LinkState& link);
Schedule ring_allreduce(const Operation& operation);

/// Ring all-gather; M is the gathered total, each rank contributes M/N.
///
///   T = (N-1) latency + (N-1)/N M/bandwidth
Seconds ring_allgather_time(const Operation& operation, const LinkState& link);
Schedule ring_allgather(const Operation& operation);

/// Ring reduce-scatter; M is the buffer that is summed, each rank keeps M/N. Costs what the all-gather costs.
Seconds ring_reduce_scatter_time(const Operation& operation, const LinkState& link);
Schedule ring_reduce_scatter(const Operation& operation);

/// Pairwise reduce-scatter: in round k every rank sends the share of the rank k places on, straight to it.
/// Costs what the ring costs where all links are alike. Source: Thakur, Rabenseifner & Gropp 2005,
/// section 4.4.
Seconds pairwise_reduce_scatter_time(const Operation& operation, const LinkState& link);
Schedule pairwise_reduce_scatter(const Operation& operation);

/// Ring all-gather of unequal contributions, given in `Operation::parts` (equal ones when it is empty).
///
///   T = (N-1) (latency + max part / bandwidth)
///
/// The largest part goes round the ring without waiting, and no other chain of messages is longer.
Seconds ring_allgatherv_time(const Operation& operation, const LinkState& link);
Schedule ring_allgatherv(const Operation& operation);

}  // namespace netmodels
