// Conditions on what is sent in place of the gradient, and on who decides about it.
#pragma once

#include "netmodels/result.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// Refuses a ratio that a method does not know or lacks, a policy together with keys that it decides itself,
/// and policies that look at gradients nobody computes.
/// @param scenario  its method is a row of the wire formats
/// @param tree      what the scenario was read from, for the places in messages
netmodels::Result<void> check_compression(const Scenario& scenario, const Value& tree);

}  // namespace sim::scenario
