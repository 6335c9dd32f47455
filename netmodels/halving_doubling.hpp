// Pairwise exchanges between ranks whose numbers differ in one bit.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

/// Recursive halving-doubling all-reduce (Rabenseifner). With P the largest power of two not above N:
///
///   T = 2 log2(P) latency + 2 (P-1)/P M/bandwidth  [+ 2 (latency + M/bandwidth) when N is not a power of
///   two]
///
/// The N-P ranks beyond P first hand their buffer to a partner and get the sum from it at the end.
/// Leaves out: the additions.
/// Source: Thakur, Rabenseifner & Gropp, "Optimization of Collective Communication Operations in MPICH",
///         Int. J. High Performance Computing Applications 19(1), 2005, section 4.
Seconds halving_doubling_allreduce_time(const Operation& operation, const LinkState& link);
Schedule halving_doubling_allreduce(const Operation& operation);

/// Recursive doubling all-reduce: log2(P) exchanges of the whole buffer, folded as above.
///
///   T = log2(P) (latency + M/bandwidth)  [+ 2 (latency + M/bandwidth) when N is not a power of two]
Seconds recursive_doubling_allreduce_time(const Operation& operation, const LinkState& link);
Schedule recursive_doubling_allreduce(const Operation& operation);

/// All-gather whose blocks double in every round; M is the gathered total.
///
///   T = ceil(log2 N) latency + (N-1)/N M/bandwidth
///
/// Pairwise exchange where N is a power of two, Bruck's shifted form elsewhere; both cost the same.
/// Source: Bruck, Ho, Kipnis, Upfal & Weathersby, "Efficient Algorithms for All-to-All Communications in
///         Multiport Message-Passing Systems", IEEE TPDS 8(11), 1997.
Seconds recursive_doubling_allgather_time(const Operation& operation, const LinkState& link);
Schedule recursive_doubling_allgather(const Operation& operation);

/// All-gather between neighbours that alternate: each rank swaps its block with one neighbour, then the last
/// two blocks with the other, in turns. M is the gathered total.
///
///   T = N/2 latency + (N-1)/N M/bandwidth
///
/// An odd number of ranks takes the ring, as Open MPI does.
/// Source: Chen, Zhang, Zhang & Yuan, "Performance Evaluation of Allgather Algorithms on Terascale Linux
/// Cluster with
///         Fast Ethernet", HPC Asia 2005.
Seconds neighbour_exchange_allgather_time(const Operation& operation, const LinkState& link);
Schedule neighbour_exchange_allgather(const Operation& operation);

/// Reduce-scatter by recursive halving; M is the buffer that is summed, each rank keeps M/N. With P as above:
///
///   T = log2(P) latency + (P-1)/P M/bandwidth  [+ 2 latency + (1 + 1/N) M/bandwidth when N is not a power of
///   two]
///
/// Leaves out: the additions; unequal halves where N is not a power of two.
/// Source: Thakur, Rabenseifner & Gropp 2005, section 4.4.
Seconds recursive_halving_reduce_scatter_time(const Operation& operation, const LinkState& link);
Schedule recursive_halving_reduce_scatter(const Operation& operation);

}  // namespace netmodels
