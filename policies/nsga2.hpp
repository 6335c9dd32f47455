// The entry of the module with pagmo: NSGA-II over the compression ratio.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/pareto_ratio.hpp"

namespace policies {

/// Appends the last population, see `ParetoSolver::nsga2`.
using EvolveRatios = void(const RatioObjectives& objectives, const RatioRange& range, std::uint32_t seed,
                          std::vector<ParetoPoint>& points);

}  // namespace policies
