// Conditions on batches, speeds and streams; and what a scenario need not write about them.
#pragma once

#include "netmodels/result.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// Refuses lists that are not one per worker, speeds stated twice, a policy together with what it would
/// decide about or without what it needs, and batches that no memory holds.
/// @param tree  what the scenario was read from, for the places in messages
netmodels::Result<void> check_batching(const Scenario& scenario, const Value& tree);

/// Makes speeds of cores: (cores / mean cores of the beginning)^exponent.
void settle_batching(Scenario& scenario);

}  // namespace sim::scenario
