// One step at the lowest, the usual and the highest goodput.
#include "sim/engine/goodput_steps.hpp"

#include "sim/engine/simulate.hpp"
#include "sim/scenario/replicas.hpp"

namespace sim::engine {
namespace {

using netmodels::Result;
using netmodels::Seconds;
using scenario::FabricRange;

/// @param end  of the ranges: `&FabricRange::low`
Result<Seconds> time_per_sample_at(scenario::Scenario scenario, netmodels::LinkState FabricRange::*end,
                                   ClusterCache& clusters) {
  scenario::Cluster& cluster = scenario.cluster;
  scenario::replace_link(scenario, (*cluster.link_range).*end);
  if (cluster.inner_link_range) cluster.inner_link = (*cluster.inner_link_range).*end;
  GRADSIM_TRY(steps, explain(scenario, clusters, {.compression_worth = false, .stop = nullptr}));
  const StepRecord& step = steps->front().step;
  return step.duration / static_cast<double>(step.samples);
}

}  // namespace

bool has_like_steps(const policies::SynchronisationChoice& synchronisation,
                    const scenario::Compression& compression, const policies::BatchingChoice& batching,
                    const std::optional<scenario::Streams>& streams) {
  return check_typical_step(synchronisation, compression, batching, streams) &&
         synchronisation->traits.every_step && !scenario::decided_by_step(compression);
}

Result<std::optional<GoodputSteps>> goodput_steps(const scenario::Scenario& scenario,
                                                  ClusterCache& clusters) {
  const scenario::Cluster& cluster = scenario.cluster;
  const bool changes = !cluster.changes.empty() || !cluster.traces.empty();
  const bool alike = has_like_steps(scenario.exchange.synchronisation, scenario.exchange.compression,
                                    scenario.work.batching, scenario.work.streams);
  if (!cluster.link_range || changes || !alike) return std::nullopt;
  GRADSIM_TRY(low, time_per_sample_at(scenario, &FabricRange::low, clusters));
  GRADSIM_TRY(mid, time_per_sample_at(scenario, &FabricRange::mid, clusters));
  GRADSIM_TRY(high, time_per_sample_at(scenario, &FabricRange::high, clusters));
  return GoodputSteps{*low, *mid, *high};
}

}  // namespace sim::engine
