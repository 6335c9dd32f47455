// Two-level collectives: one stage between nodes, others inside them.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

// Each form below is for N ranks on n = N/g nodes of g consecutive ranks (`Operation::group`), on one kind of
// link between any two ranks. Where the g ranks of a node share one network card, or links inside a node are
// faster, the closed form does not hold; the schedule does. With g = 1 or g = N one level is left.

/// All-reduce: reduce-scatter by a ring inside each node, ring all-reduce of each piece between the nodes (g
/// rings side by side), ring all-gather inside.
///
///   T = 2(g-1) (latency + M/(g bandwidth)) + 2(n-1) (latency + M/(N bandwidth))
///
/// Leaves out: the additions. Source: Jia et al., "Highly Scalable Deep Learning Training System with
/// Mixed-Precision", 2018, section 4.3.
Seconds hierarchical_allreduce_time(const Operation& operation, const LinkState& link);
Schedule hierarchical_allreduce(const Operation& operation);

/// All-gather by all ranks; M is the gathered total. Each rank gathers the contributions of its index on all
/// nodes by a ring between the nodes (g rings side by side), then these n blocks travel around a ring inside
/// each node.
///
///   T = (n-1) (latency + M/(N bandwidth)) + (g-1) (latency + M/(g bandwidth))
///
/// Leaves out: contributions of unequal size (`Operation::parts`).
/// Source: Traeff, "Decomposing Collectives for Exploiting Multi-lane Communication", arXiv:1910.13373, 2019
///         (full-lane all-gather); Horovod 0.28, MPIHierarchicalAllgather in common/ops/mpi_operations.cc, on
///         even nodes. Rings for both stages are our choice.
Seconds hierarchical_allgather_time(const Operation& operation, const LinkState& link);
Schedule hierarchical_allgather(const Operation& operation);

/// All-gather by one rank of each node, its leader; M is the gathered total. Binomial gather of a node's
/// contributions at its first rank, ring all-gather of the nodes' blocks between the leaders, binomial
/// broadcast of all of M inside each node. Fewer rounds than by all ranks, more bytes inside the nodes.
///
///   T = ceil(log2 g) latency + (g-1) M/(N bandwidth) + (n-1) (latency + M/(n bandwidth))
///       + ceil(log2 g) (latency + M/bandwidth)
///
/// Leaves out: contributions of unequal size (`Operation::parts`).
/// Source: Horovod 0.28, MPIHierarchicalAllgather in common/ops/mpi_operations.cc, on uneven nodes (there,
///         ranks of a node share memory; binomial messages and the ring are our choice).
Seconds leader_allgather_time(const Operation& operation, const LinkState& link);
Schedule leader_allgather(const Operation& operation);

/// Broadcast from rank 0 of a message M: binomial to the first rank of each node, then binomial inside each
/// node, so that M enters each node once.
///
///   T = (ceil(log2 n) + ceil(log2 g)) (latency + M/bandwidth)
///
/// Source: Kielmann et al., "MagPIe: MPI's Collective Communication Operations for Clustered Wide Area
///         Systems", PPoPP 1999 (there with flat trees between clusters; binomial here).
Seconds hierarchical_broadcast_time(const Operation& operation, const LinkState& link);
Schedule hierarchical_broadcast(const Operation& operation);

/// AR-Topk on two levels: hierarchical broadcast of the indices, hierarchical all-reduce of the values. M is
/// the bytes of the selected values; the 4-byte indices that go before them are as many bytes.
///
///   T = (ceil(log2 n) + ceil(log2 g)) (latency + M/bandwidth)
///       + 2(g-1) (latency + M/(g bandwidth)) + 2(n-1) (latency + M/(N bandwidth))
///
/// Leaves out: what `ar_topk_ring` leaves out.
/// Source: (4a) of Tyagi & Swany, IEEE BigData 2023, each part on two levels; the combination is our own.
Seconds ar_topk_hierarchical_time(const Operation& operation, const LinkState& link);
Schedule ar_topk_hierarchical(const Operation& operation);

/// All-gather among the ranks of each node, all nodes side by side; M is what a node gathers. A
/// reduce-scatter among them sends the same messages backwards and takes as long.
///
///   T = (g-1) (latency + M/(g bandwidth))
///
/// Source: Patarasuk & Yuan, "Bandwidth optimal all-reduce algorithms", 2009.
Seconds node_allgather_time(const Operation& operation, const LinkState& link);
Schedule node_allgather(const Operation& operation);

/// All-reduce among the ranks of each node, all nodes side by side; M is what each rank holds.
///
///   T = 2(g-1) (latency + M/(g bandwidth))
///
/// Source: as above.
Seconds node_allreduce_time(const Operation& operation, const LinkState& link);
Schedule node_allreduce(const Operation& operation);

/// All-reduce of shards that the ranks of each node share: rank i of every node sums its M/g with rank i of
/// the others by a ring, g rings side by side.
///
///   T = 2(n-1) (latency + M/(N bandwidth))
///
/// Source: as above.
Seconds between_nodes_allreduce_time(const Operation& operation, const LinkState& link);
Schedule between_nodes_allreduce(const Operation& operation);

/// All-gather between nodes of what the ranks of each node share: rank i of every node gathers from rank i of
/// the others by a ring, g rings side by side; M is what a node then has together.
///
///   T = (n-1) (latency + M/(N bandwidth))
///
/// Source: as above.
Seconds between_nodes_allgather_time(const Operation& operation, const LinkState& link);
Schedule between_nodes_allgather(const Operation& operation);

/// All-to-all among the ranks of each node: each sends every other one of them its part M/g of M, in g - 1
/// rounds of pairs; all nodes side by side. It takes as long as `node_allgather`.
Schedule node_all_to_all(const Operation& operation);

/// All-to-all between nodes: of the M/g that a rank holds, with M the sum over a node, the ranks of its index
/// on the n nodes get a part M/N each, in n - 1 rounds of pairs, all g indices side by side.
///
///   T = (n-1) (latency + M/(N bandwidth))
///
/// Source: Thakur, Rabenseifner & Gropp, "Optimization of Collective Communication Operations in MPICH",
///         2005 (pairwise exchange).
Seconds between_nodes_all_to_all_time(const Operation& operation, const LinkState& link);
Schedule between_nodes_all_to_all(const Operation& operation);

}  // namespace netmodels
