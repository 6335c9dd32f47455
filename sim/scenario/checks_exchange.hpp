// Conditions on which collective carries what is sent.
#pragma once

#include "netmodels/result.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// Refuses methods and collectives that nobody knows, a collective that cannot carry what the method sends, a
/// choice among collectives where one is named, and all that `check_compression` refuses.
/// @param tree  what the scenario was read from, for the places in messages
netmodels::Result<void> check_exchange(const Scenario& scenario, const Value& tree);

}  // namespace sim::scenario
