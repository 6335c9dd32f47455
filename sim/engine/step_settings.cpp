// Settings of a step from those of a scenario.
#include "sim/engine/step_settings.hpp"

#include "netmodels/buckets.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::engine {

StepSettings step_settings_of(const scenario::Scenario& scenario) {
  const scenario::Cluster& cluster = scenario.cluster;
  const double stated_bytes = scenario.work.parallelism.gradient_bytes.value_or(0);
  StepSettings settings{
      .workload = scenario.work.workload,
      .training = scenario.work.training,
      .compression = scenario.exchange.compression,
      .costs = {scenario.exchange.compression, scenario.work.workload, scenario.work.device},
      .exchange = scenario.exchange,
      .library = scenario::library_of(scenario.exchange, scenario.cluster),
      .gradient_bytes = stated_bytes > 0 ? stated_bytes : netmodels::gradient_value_bytes,
      .synchronisation = scenario.exchange.synchronisation,
      .workers = static_cast<std::uint32_t>(cluster.workers),
      .workers_per_node = static_cast<std::uint32_t>(cluster.workers_per_node),
      .shares_nodes = cluster.workers_per_node > 1 || scenario.stated->cluster.has_value(),
      .member_name = scenario::member_name(scenario.work.parallelism),
      .sites = scenario.work.parallelism.site == scenario::SiteKind::node,
      .sharded = {},
      .states{static_cast<double>(scenario.work.workload.parameters()) *
              scenario.work.parallelism.states.optimizer},
  };
  if (scenario.work.parallelism.is_sharded())
    settings.sharded = scenario::sharded_exchange(scenario, settings.workers);
  return settings;
}

}  // namespace sim::engine
