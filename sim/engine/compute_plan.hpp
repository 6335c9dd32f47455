// What a workload computes in a step, laid over the buckets of its exchange.
#pragma once

#include "sim/engine/exchange_plan.hpp"
#include "sim/engine/step_model.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Times at the scenario's batch; compression time is spread over the buckets by their values.
ComputePlan plan_compute(const scenario::Scenario& scenario, const ExchangePlan& exchange);

}  // namespace sim::engine
