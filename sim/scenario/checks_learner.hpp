// Conditions on what is learned and when workers synchronise; and what a scenario need not write about it.
#pragma once

#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// Refuses batches that are not one per worker, a policy that looks at gradients or losses nobody computes,
/// SelSync without a threshold or with two, a centre that moves too far, workers that do not wait for each
/// other together with what only makes sense when they do, and a learner without file.
/// @param tree  what the scenario was read from, for the places in messages
netmodels::Result<void> check_learner(const Scenario& scenario, const Value& tree);

/// Fills in what follows from the data set: the samples of an epoch where neither they nor steps are stated.
void settle_learner(Scenario& scenario, const Value& tree);

/// Sentences on what is accepted and looks like a mistake.
std::vector<std::string> learner_warnings(const Scenario& scenario, const Value& tree);

}  // namespace sim::scenario
