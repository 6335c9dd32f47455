// Settings of a step from those of a scenario.
#include "sim/engine/step_settings.hpp"

#include "netmodels/buckets.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::engine {

StepSettings step_settings_of(const scenario::Work& work, const scenario::Cluster& cluster,
                              const scenario::Stated& stated, const scenario::Exchange& exchange) {
  const double stated_bytes = work.parallelism.gradient_bytes.value_or(0);
  StepSettings settings{
      .workload = work.workload,
      .training = work.training,
      .compression = exchange.compression,
      .costs = {exchange.compression, work.workload, work.device},
      .exchange = exchange,
      .library = scenario::library_of(exchange, cluster),
      .gradient_bytes = stated_bytes > 0 ? stated_bytes : netmodels::gradient_value_bytes,
      .synchronisation = exchange.synchronisation,
      .workers = static_cast<std::uint32_t>(cluster.workers),
      .workers_per_node = static_cast<std::uint32_t>(cluster.workers_per_node),
      .shares_nodes = cluster.workers_per_node > 1 || stated.cluster.has_value(),
      .member_name = scenario::member_name(work.parallelism),
      .sites = work.parallelism.site == scenario::SiteKind::node,
      .sharded = {},
      .states{static_cast<double>(work.workload.parameters()) * work.parallelism.states.optimizer},
  };
  if (work.parallelism.is_sharded())
    settings.sharded = scenario::sharded_exchange(work, cluster, exchange, settings.workers);
  return settings;
}

}  // namespace sim::engine
