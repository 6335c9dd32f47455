// Where in the scenario stands what the engine refused.
#pragma once

#include <string>

#include "netmodels/result.hpp"
#include "sim/scenario/study.hpp"

namespace sim {

/// The engine knows keys, not lines: an Error at `cluster.failures` becomes one at file:line:column of that
/// key, in the arm's overrides or else in the scenario. Errors at other places, such as a file, keep them
/// behind the arm's name.
netmodels::Error placed(netmodels::Error error, const std::string& file, const std::string& arm,
                        const scenario::Reading& reading);

}  // namespace sim
