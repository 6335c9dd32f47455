// What nobody can be advised about, and why.
#pragma once

#include "netmodels/result.hpp"
#include "sim/scenario/policy_advice.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// @param tree  of the file, with `advice`
netmodels::Result<void> check_policy_advice(const PolicyAdvice& advice, const Value& tree);

/// Whether so many of its steps tell what a whole training would be.
/// @param base  the training that is asked about
netmodels::Result<void> check_advised(const PolicyAdvice& advice, const Scenario& base, const Value& tree);

/// Whether a candidate's first steps can stand for all, where no live learner trains.
/// @returns nothing, or an Error without a place
netmodels::Result<void> check_simulated_in_part(const Scenario& candidate);

}  // namespace sim::scenario
