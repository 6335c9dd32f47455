// Advice as sheets: configurations by rank, and searches beside each other.
#pragma once

#include "sim/output/sheet.hpp"
#include "sim/study/planning/advice.hpp"

namespace sim::study::planning {

/// How times are written.
enum class TimeUnit { seconds, hours };

/// Rank, configuration, whether it was profiled, predicted and true time and cost, errors, reason.
output::Sheet configuration_sheet(const Advised& advised, TimeUnit unit);

/// The arm's own search, its baselines, the oracle, and the mean of all configurations.
output::Sheet search_sheet(const Advised& advised, TimeUnit unit);

}  // namespace sim::study::planning
