// Advice as tables: configurations by rank, and searches beside each other.
#pragma once

#include "command_line/table.hpp"
#include "sim/advise/advice.hpp"

namespace sim::advise {

/// How times are written.
enum class TimeUnit { seconds, hours };

/// Rank, configuration, whether it was profiled, predicted and true time and cost, errors, reason.
command_line::Table configuration_table(const Advised& advised, TimeUnit unit);

/// The arm's own search, its baselines, the oracle, and the mean of all configurations.
command_line::Table search_table(const Advised& advised, TimeUnit unit);

}  // namespace sim::advise
