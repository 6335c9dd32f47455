// Parameter server: all push to one, all pull from it.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

/// Rank 0 serves beside its own work; the other N-1 push M at once and pull M at once, sharing its link
/// fairly.
///
///   T = 2 latency + 2(N-1) M/bandwidth
///
/// Leaves out: the additions at the server. For N = 1 there is nobody to serve and T = 0.
/// Source: Table I (PS) of Tyagi & Swany, IEEE BigData 2023.
Seconds parameter_server_allreduce_time(const Operation& operation, const LinkState& link);
Schedule parameter_server_allreduce(const Operation& operation);

}  // namespace netmodels
