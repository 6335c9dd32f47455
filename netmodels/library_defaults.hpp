// Default algorithms of communication libraries, by number of ranks and size of the message.
#pragma once

#include <string_view>
#include <vector>

#include "netmodels/collective.hpp"

namespace netmodels {

/// The rows by which operations of a kind may run: the library's default; the schedules that NCCL has, among
/// which it chooses (and RCCL, which is made of it); of no library, or of one without a row of the kind,
/// every algorithm with a schedule.
/// @param two_level  also those that work on nodes of several ranks
std::vector<const Collective*> rows_of(std::string_view library, CollectiveKind kind, bool two_level);

/// Broadcast of Open MPI: trees whose ranks send to all children at once, or scatter and all-gather.
///
/// Leaves out: the split binary tree (256 to 1023 ranks, 16 to 32 KiB), replaced by a binary tree;
/// segments, which the fixed table does not use; round trips of the rendezvous of messages above the eager
/// limit. Source: Open MPI 4.1.4 coll_tuned_decision_fixed.c (bcast), coll_base_bcast.c, coll_base_topo.c.
Seconds openmpi_broadcast_time(const Operation& operation, const LinkState& link);
Schedule openmpi_broadcast(const Operation& operation);

/// All-reduce of Open MPI for commutative sums: recursive doubling, a ring, Rabenseifner's, or a reduction
/// and a broadcast.
///
/// Leaves out: segments of rings. Source: Open MPI 4.1.4 coll_tuned_decision_fixed.c (allreduce).
Seconds openmpi_allreduce_time(const Operation& operation, const LinkState& link);
Schedule openmpi_allreduce(const Operation& operation);

/// Reduction of Open MPI to rank 0: linear, up a chain, or up a binomial tree whose ranks receive one message
/// after another.
///
/// Leaves out: binary reductions (below 8 KiB, and in order from 256 ranks below 16 KiB) and Rabenseifner's
/// (below 8 bytes), replaced by the binomial one; the additions.
/// Source: Open MPI 4.1.4 coll_tuned_decision_fixed.c (reduce).
Seconds openmpi_reduce_time(const Operation& operation, const LinkState& link);
Schedule openmpi_reduce(const Operation& operation);

/// Open MPI's default reduction and then its default broadcast; what `coll_tuned_allreduce_algorithm 2`
/// (nonoverlapping) runs at all sizes. Source: Open MPI 4.1.4 coll_base_allreduce.c (nonoverlapping).
Seconds openmpi_reduce_broadcast_time(const Operation& operation, const LinkState& link);
Schedule openmpi_reduce_broadcast(const Operation& operation);

/// All-gather of Open MPI by the contribution of one rank: recursive doubling, between neighbours, or around
/// a ring.
///
/// Leaves out: the mixture of both from 128 ranks on, replaced by the rules of 64 to 127 ranks.
/// Source: Open MPI 4.1.4 coll_tuned_decision_fixed.c (allgather).
Seconds openmpi_allgather_time(const Operation& operation, const LinkState& link);
Schedule openmpi_allgather(const Operation& operation);

/// Reduce-scatter of Open MPI: recursive halving or around a ring.
///
/// Leaves out: butterflies and reductions that are scattered, below 64 bytes and for 32 ranks or more below
/// 512 KiB, replaced by recursive halving; rules of more than 63 ranks, replaced by those of 32 to
/// 63. Source: Open MPI 4.1.4 coll_tuned_decision_fixed.c (reduce_scatter).
Seconds openmpi_reduce_scatter_time(const Operation& operation, const LinkState& link);
Schedule openmpi_reduce_scatter(const Operation& operation);

/// Gather of Open MPI to rank 0 by the share of one rank: up a binomial tree, or all at once.
/// Leaves out: that gathers of large shares to fewer than 8 ranks ask for each of them first.
/// Source: Open MPI 4.1.4 coll_tuned_decision_fixed.c (gather).
Seconds openmpi_gather_time(const Operation& operation, const LinkState& link);
Schedule openmpi_gather(const Operation& operation);

/// Scatter of Open MPI from rank 0 by the share of one rank: down a binomial tree, or all at once.
/// Leaves out: that sends of the basic linear scatter block. Source: Open MPI 4.1.4
/// coll_tuned_decision_fixed.c (scatter).
Seconds openmpi_scatter_time(const Operation& operation, const LinkState& link);
Schedule openmpi_scatter(const Operation& operation);

/// Broadcast of MPICH: a binomial tree of blocking sends below 8 ranks or up to 12288 bytes, else a scatter
/// and an all-gather (recursive doubling for powers of two up to 512 KiB, else a ring).
///
/// Leaves out: the socket buffer in the scatter. Source: MPICH 4.0.2 maint/tuning/coll/mpir/generic.json.
Seconds mpich_broadcast_time(const Operation& operation, const LinkState& link);
Schedule mpich_broadcast(const Operation& operation);

/// All-reduce of MPICH: recursive doubling up to 8 bytes or with fewer values of 4 bytes than the largest
/// power of two of ranks, else Rabenseifner's. Source: as `mpich_broadcast`.
Seconds mpich_allreduce_time(const Operation& operation, const LinkState& link);
Schedule mpich_allreduce(const Operation& operation);

/// All-gather of MPICH: recursive doubling for powers of two below 512 KiB in total, Bruck's for other
/// numbers of ranks below 80 KiB, else a ring. Source: as `mpich_broadcast`.
Seconds mpich_allgather_time(const Operation& operation, const LinkState& link);
Schedule mpich_allgather(const Operation& operation);

/// Reduce-scatter of MPICH: recursive halving below 512 KiB in total, else pairwise. Source: as
/// `mpich_broadcast`.
Seconds mpich_reduce_scatter_time(const Operation& operation, const LinkState& link);
Schedule mpich_reduce_scatter(const Operation& operation);

/// Reduction of MPICH to rank 0: up a binomial tree up to 2 KiB or with fewer values of 4 bytes than the
/// largest power of two of ranks, else Rabenseifner's. Source: as `mpich_broadcast`.
Seconds mpich_reduce_time(const Operation& operation, const LinkState& link);
Schedule mpich_reduce(const Operation& operation);

/// Broadcast of NCCL: down a chain, in pieces of one slot of its buffer (4 MiB in 8 slots).
/// Leaves out: NCCL's protocols and channels. Source: NCCL src/init.cc, src/include/collectives.h.
Seconds nccl_broadcast_time(const Operation& operation, const LinkState& link);
Schedule nccl_broadcast(const Operation& operation);

/// Reduction of NCCL: the chain backwards, in the time of the broadcast.
Schedule nccl_reduce(const Operation& operation);

}  // namespace netmodels
