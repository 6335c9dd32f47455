// Settings of a step from those of a scenario.
#include "sim/engine/step_settings.hpp"

#include "netmodels/buckets.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::engine {

StepSettings step_settings_of(const scenario::Scenario& scenario) {
  const scenario::Cluster& cluster = scenario.cluster;
  const double stated_bytes = scenario.parallelism.gradient_bytes.value_or(0);
  StepSettings settings{
      .workload = scenario.workload,
      .training = scenario.training,
      .compression = scenario.compression,
      .costs = {scenario.compression, scenario.workload, scenario.device},
      .exchange = scenario.exchange,
      .library = scenario::library_of(scenario.exchange, scenario.cluster),
      .gradient_bytes = stated_bytes > 0 ? stated_bytes : netmodels::gradient_value_bytes,
      .synchronisation = scenario.synchronisation,
      .workers = static_cast<std::uint32_t>(cluster.workers),
      .workers_per_node = static_cast<std::uint32_t>(cluster.workers_per_node),
      .shares_nodes = cluster.workers_per_node > 1 || scenario.stated->cluster.has_value(),
      .member_name = scenario::member_name(scenario.parallelism),
      .sites = scenario.parallelism.site == scenario::SiteKind::node,
      .sharded = {},
      .states{static_cast<double>(scenario.workload.parameters()) * scenario.parallelism.states.optimizer},
  };
  if (scenario.parallelism.is_sharded())
    settings.sharded = scenario::sharded_exchange(scenario, settings.workers);
  return settings;
}

}  // namespace sim::engine
