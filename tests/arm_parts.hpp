// Functions on parts of an arm, for tests that have the whole of it.
#pragma once

#include "sim/engine/bandwidth_steps.hpp"
#include "sim/engine/fitted_inputs.hpp"
#include "sim/engine/step_settings.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/measured_defaults.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

inline auto needed_memory(const Scenario& arm) { return needed_memory(arm.work, arm.cluster, arm.exchange); }
inline auto describe_memory(const Scenario& arm) {
  return describe_memory(arm.work, arm.cluster, arm.exchange);
}
inline auto describe_sharding(const Scenario& arm) {
  return describe_sharding(arm.work, arm.cluster, arm.exchange);
}
inline auto describe_execution(const Scenario& arm) {
  return describe_execution(arm.work, arm.cluster, arm.exchange);
}
inline auto sharded_exchange(const Scenario& arm, std::uint32_t workers) {
  return sharded_exchange(arm.work, arm.cluster, arm.exchange, workers);
}
inline const auto* nccl_of(const Scenario& arm) {
  return nccl_of(arm.work, arm.cluster, arm.exchange, arm.simulation.evaluator);
}

}  // namespace sim::scenario

namespace sim::engine {

inline auto step_settings_of(const scenario::Scenario& arm) {
  return step_settings_of(arm.work, arm.cluster, *arm.stated, arm.exchange);
}
inline bool depends_on_bandwidth(const scenario::Scenario& arm) {
  return depends_on_bandwidth(arm.work, arm.cluster, arm.exchange);
}
inline auto inputs_without_range(const scenario::Scenario& arm) {
  return inputs_without_range(arm.work, arm.cluster, arm.exchange, arm.simulation.evaluator);
}

}  // namespace sim::engine
