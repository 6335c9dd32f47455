// What a planner cannot be asked, and why.
#pragma once

#include "netmodels/result.hpp"
#include "sim/scenario/planning.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// @param tree  a map with the key `planning`, for positions
netmodels::Result<void> check_planning(const Planning& planning, const Value& tree);

/// What a scenario must be to be played at other sizes and batches.
/// @param tree  as above
netmodels::Result<void> check_played(const Planning& planning, const Study& study, const Value& tree);

}  // namespace sim::scenario
