// What a workload computes in a step, laid over the buckets of its exchange.
#pragma once

#include <cstdint>

#include "sim/engine/exchange_plan.hpp"
#include "sim/engine/step_model.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Times at the scenario's batch; stated compression time is spread over the buckets by their values.
/// @param workers  that take part: each restores what an all-gather brings from the others
ComputePlan plan_compute(const scenario::Scenario& scenario, const ExchangePlan& exchange,
                         std::uint32_t workers);

}  // namespace sim::engine
