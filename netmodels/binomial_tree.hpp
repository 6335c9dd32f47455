// Binomial trees: the number of ranks that know doubles with every round.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

/// Binomial broadcast from rank 0 of a message M, to distant ranks first: with consecutive ranks on a node,
/// of a power of two each, one message enters each node.
///
///   T = ceil(log2 N) (latency + M/bandwidth)
///
/// Source: Table I (Broadcast) of Tyagi & Swany, IEEE BigData 2023, for powers of two; Thakur et al. 2005 for
/// any N.
Seconds binomial_broadcast_time(const Operation& operation, const LinkState& link);
Schedule binomial_broadcast(const Operation& operation);

/// Unpipelined tree all-reduce: binomial reduction to rank 0, then binomial broadcast.
///
///   T = 2 ceil(log2 N) (latency + M/bandwidth)
///
/// Leaves out: the additions.
/// Source: Table I (Tree allreduce) of Tyagi & Swany, IEEE BigData 2023, for powers of two.
Seconds binomial_tree_allreduce_time(const Operation& operation, const LinkState& link);
Schedule binomial_tree_allreduce(const Operation& operation);

}  // namespace netmodels
