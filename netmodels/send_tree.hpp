// Broadcasts and scatters down a tree in which each rank sends to its children in program order.
#pragma once

#include <cstdint>
#include <vector>

#include "netmodels/collective.hpp"

namespace netmodels {

/// A message of a rank to a child.
struct TreeSend {
  std::uint32_t to;  ///< above the sender's rank
  Bytes size;
};

/// A tree from rank 0, whose ranks send as soon as they have received.
struct SendTree {
  std::vector<std::vector<TreeSend>>
      sends;  ///< per rank, in program order; all of one size unless `buffered` is 0
  /// Bytes that a blocking send leaves in its socket: 0 sends when the one before has arrived; the size of
  /// the messages or more sends all at once.
  Bytes buffered;
};

/// The time until all ranks have received, on a free homogeneous network: sends that are under way share the
/// sender's link evenly, and each rank receives one message.
Seconds time_of(const SendTree& tree, const LinkState& link);
Schedule schedule_of(const SendTree& tree);

// Sends of doubling, binary and k-nomial trees are pending together. Messages above 64 KiB share the sender's
// link; smaller ones leave whole, in program order, as the kernel takes so much of a socket before it serves
// the next. 64 KiB: fitted to Open MPI and Gloo on 4 and 8 ranks at 100 to 500 Mbit/s (16, 64 and 256 KiB
// tried), judged on other tables of MPI. Leaves out: that the kernel's limit is about 1 ms of the socket's
// rate (Linux, tcp_small_queue_check), so that larger messages are in part served in order, too.

/// Rank v sends to v + m for the powers of two m above v, ascending (distance doubling).
/// Source: Open MPI 4.1.4 coll_base_topo.c (build_bmtree), Gloo 5b14351 broadcast.cc.
SendTree doubling_tree(std::uint32_t ranks, Bytes size);

/// Rank v sends to v + m for the powers of two m below its lowest set bit, descending (distance halving).
/// @param scatters  a child is sent what its subtree needs of the message, else all of it
/// Source: MPICH 4.0.2 bcast_intra_binomial.c, Open MPI 4.1.4 coll_base_bcast.c (scatter of a broadcast).
SendTree halving_tree(std::uint32_t ranks, Bytes size, bool scatters);

/// Rank v of a level of 2^k ranks sends to v + 2^k and v + 2^(k+1).
/// Source: Open MPI 4.1.4 coll_base_topo.c (build_tree).
SendTree binary_tree(std::uint32_t ranks, Bytes size);

/// Ranks in groups of `radix`, whose lowest sends to the others, and likewise these lowest ranks.
/// Source: Open MPI 4.1.4 coll_base_topo.c (build_kmtree).
SendTree knomial_tree(std::uint32_t ranks, Bytes size, std::uint32_t radix);

/// Rank 0 sends to all others.
SendTree linear_tree(std::uint32_t ranks, Bytes size);

/// Binomial broadcast whose ranks send to all children at once.
///
///   T = L latency + L(L+1)/2 M/bandwidth,   L = log2 N, for powers of two and M above 64 KiB
///   T = L latency + L M/bandwidth           (but for the last byte of each message), for smaller M
///
/// since rank 1, the first of log2 N children, has the deepest subtree. For other N: the longest way down.
/// Source: Open MPI 4.1.4 coll_base_bcast.c (bcast_intra_generic without segments), Gloo 5b14351
/// broadcast.cc.
Seconds binomial_broadcast_at_once_time(const Operation& operation, const LinkState& link);
Schedule binomial_broadcast_at_once(const Operation& operation);

/// Binomial broadcast by blocking sends, the deepest subtree first, each leaving S = 512 KiB in its socket.
///
///   T = L latency + L M/bandwidth + (L-1) min(S, M)/bandwidth,   L = log2 N, for N = 2, 4, 8 and M >= 2 S
///
/// For others: the longest way down. S is fitted to 4 and 8 ranks at 50 to 100 Mbit/s.
/// Leaves out: that the kernel tunes S, about 100 to 300 KiB at 200 to 1000 Mbit/s and 1.3 MiB at 500 Mbit/s
/// with 5 ms. Source: MPICH 4.0.2 bcast_intra_binomial.c; S: measured with Debian 12's MPICH over UCX tcp.
Seconds binomial_broadcast_buffered_time(const Operation& operation, const LinkState& link);
Schedule binomial_broadcast_buffered(const Operation& operation);

/// Rank 0 sends to all others at once: T = latency + (N-1) M/bandwidth.
/// Source: Open MPI 4.1.4 coll_base_bcast.c (basic_linear).
Seconds linear_broadcast_time(const Operation& operation, const LinkState& link);
Schedule linear_broadcast(const Operation& operation);

}  // namespace netmodels
