// Conditions that join several keys of one arm: what cannot be combined, and why.
#pragma once

#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// @param tree what the scenario was read from, for the places of errors
/// @returns an Error for a cluster whose numbers do not fit together: workers per node, counts of speeds,
/// hosts that
///          the topology holds, workers that do not exist
netmodels::Result<void> check_cluster(const Cluster& cluster, const Value& tree);

/// The same for training and compute.
netmodels::Result<void> check_training(const Scenario& scenario, const Value& tree);

/// What is accepted and yet doubtful: keys that nobody reads here, changes after the end.
std::vector<std::string> doubts(const Scenario& scenario, const Value& tree);

}  // namespace sim::scenario
