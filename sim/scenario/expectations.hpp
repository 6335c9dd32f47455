// The rows under `expect`: figures that others found, and bounds on how well ours agree.
#pragma once

#include <string_view>

#include "netmodels/result.hpp"
#include "sim/scenario/metric.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// Whether `text` fits `pattern`, in which each `*` matches any text, also none.
bool matches(std::string_view pattern, std::string_view text);

/// Fills `expectations`, `mean_errors` and `best_along` of a study whose arms and axes are known.
/// @returns an Error for a row that is malformed or names an arm, an axis or a metric that does not exist
netmodels::Result<void> read_expectations(const Value& rows, Study& study, ExpectableMetrics metrics);

}  // namespace sim::scenario
