// Conditions on measured times of collectives.
#pragma once

#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// Refuses `collective_times` in a cluster whose network is not the one that was measured: whose links
/// change, carry other traffic or fail, or follow a TCP preset.
/// @param tree  what the scenario was read from, for the places in messages
netmodels::Result<void> check_measured(const Cluster& cluster, const Value& tree);

/// One sentence, with its place, for each kind of collective that the arm's gradients need and that was not
/// measured on as many ranks and nodes; nothing where a policy decides what is sent.
std::vector<std::string> measured_doubts(const Scenario& scenario, const Value& tree);

}  // namespace sim::scenario
