// Collectives as Gloo runs them over TCP: every message waits for a notice that its receiver has a buffer.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

// A receiver that has posted a buffer sends a notice to the rank it receives from, which sends the data when
// the notice has come. Rings send segments, of which a rank has two in flight: it posts the buffer of the
// next when the one before the last has come. A notice leaves its rank after the data that the rank has sent
// before. With q = segment/bandwidth, two segments take L for the notice, or q where the other segment is
// still leaving, then L and q for the data; the other segment comes in that time. So n segments take
//
//   R(n, q) = n/2 (L + q + max(L, q)) + min(L, q)            for even n
//   R(n, q) = (n-1)/2 (L + q + max(L, q)) + 2 L + q          for odd n
//
// Leaves out: additions and copies, which Gloo makes on one thread; slow start of TCP; that a segment is a
// whole number of elements, so that buffers of fewer than 2N elements leave some empty.
// Source: Gloo 5b14351 transport/tcp/pair.cc (notices); the files named below.

/// Ring reduce-scatter, then ring all-gather, each of (N-1) s segments of M/(N s):
///
///   T = 2 R((N-1) s, M/(N s B)),   s = M/(N MiB) rounded up, 2 to 4096
///
/// Source: allreduce.cc (ring; at least two segments a rank, of at most 1 MiB).
Seconds gloo_allreduce_time(const Operation& operation, const LinkState& link);
Schedule gloo_allreduce(const Operation& operation);

/// Ring all-gather of halves of the contributions: T = R(2 (N-1), M/(2 N B)). Source: allgather.cc.
Seconds gloo_allgather_time(const Operation& operation, const LinkState& link);
Schedule gloo_allgather(const Operation& operation);

/// Ring reduce-scatter in s segments a rank as in the all-reduce, then all shares to rank 0 at once:
///
///   T = R(N s - 2, M/(N s B)) + 2 L + (N-1)/N M/B
///
/// The ring sends more than the (N-1) s segments that the sum needs where s > 2; the all-reduce does not.
/// Source: reduce.cc.
Seconds gloo_reduce_time(const Operation& operation, const LinkState& link);
Schedule gloo_reduce(const Operation& operation);

/// `binomial_broadcast_at_once` behind a notice from each child. Source: broadcast.cc.
Seconds gloo_broadcast_time(const Operation& operation, const LinkState& link);
Schedule gloo_broadcast(const Operation& operation);

/// `linear_gather` behind a notice to each rank. Source: gather.cc.
Seconds gloo_gather_time(const Operation& operation, const LinkState& link);
Schedule gloo_gather(const Operation& operation);

/// `linear_scatter` behind a notice from each rank. Source: scatter.cc.
Seconds gloo_scatter_time(const Operation& operation, const LinkState& link);
Schedule gloo_scatter(const Operation& operation);

}  // namespace netmodels
