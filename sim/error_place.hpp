// The place in the scenario of an engine error.
#pragma once

#include <string>

#include "netmodels/result.hpp"
#include "sim/scenario/study.hpp"

namespace sim {

/// The engine knows keys, not lines: an Error at `cluster.failures[1].link` becomes one at file:line:column
/// of that value, or of the nearest one around it, as the arm has it: in its overrides, the scenario, a base
/// file, or an option. Errors at other places, such as a key that was left to its default, keep them after
/// the arm's name.
netmodels::Error placed(netmodels::Error error, const std::string& file, const std::string& arm,
                        const scenario::Reading& reading);

}  // namespace sim
