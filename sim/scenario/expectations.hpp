// The rows under `expect`: figures that others found, and bounds on how well ours agree.
#pragma once

#include <string_view>

#include "netmodels/result.hpp"
#include "sim/language/metric.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

/// Whether `text` fits `pattern`, in which each `*` matches any text, also none.
bool matches(std::string_view pattern, std::string_view text);

/// Fills `expectations`, `mean_errors` and `best_along` of a study whose arms and axes are known.
/// @returns an Error for a row that is malformed or names an arm, an axis or a metric that does not exist
netmodels::Result<void> read_expectations(const language::Value& rows, Study& study,
                                          language::ExpectableMetrics metrics);

}  // namespace sim::scenario
