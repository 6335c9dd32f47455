// Two-level all-reduce: inside each node, between the nodes, inside again.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

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
