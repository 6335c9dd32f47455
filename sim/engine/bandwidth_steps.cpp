// Replaces the bandwidth of the links, then explains a step.
#include "sim/engine/bandwidth_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/engine/goodput_steps.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/scenario/replicas.hpp"

namespace sim::engine {
namespace {

using netmodels::Bandwidth;
using netmodels::Result;
using netmodels::Seconds;

StepRange range_of(const ExplainedStep& explained) {
  const auto samples = static_cast<double>(explained.step.samples);
  const Seconds assumed = explained.step.duration / samples;
  if (!explained.dependence) return {assumed, assumed, assumed};
  const CompressionDependence& dependence = *explained.dependence;
  const auto& most = dependence.cost.most;
  return {dependence.step_at(dependence.cost.least) / samples, assumed,
          most ? dependence.step_at(*most) / samples : Seconds{std::numeric_limits<double>::infinity()}};
}

/// Line rate of the interfaces of a node, of which a worker may have the share of one tensor group.
Bandwidth line_rate(const scenario::Work& work, const scenario::Cluster& cluster,
                    const scenario::Stated& stated) {
  const auto& nccl = cluster.nccl;
  if (!nccl || !nccl->network) return {std::numeric_limits<double>::infinity()};
  return nccl->network->rate * nccl->network->nics_per_node /
         scenario::share_of_link(stated, work.parallelism);
}

/// Lets the interfaces of NCCL's network carry the link's bandwidth together.
void replace_rate(scenario::Cluster& cluster, Bandwidth link) {
  if (!cluster.nccl) return;
  netmodels::nccl::Network& network = *cluster.nccl->network;
  network.measured_rate = std::min(link / network.nics_per_node, network.rate);
}

}  // namespace

bool depends_on_bandwidth(const scenario::Work& work, const scenario::Cluster& cluster,
                          const scenario::Exchange& exchange) {
  const bool uses_link = cluster.workers > cluster.workers_per_node || work.parallelism.inside().pipeline > 1;
  return uses_link && std::isfinite(cluster.link.bandwidth.count) && cluster.measured.empty() &&
         (!cluster.nccl || cluster.nccl->network) && cluster.topology->traits.links_as_stated &&
         has_like_steps(exchange.synchronisation, exchange.compression, work.batching, work.streams);
}

StepsByBandwidth::StepsByBandwidth(const std::vector<const scenario::Scenario*>& arms, ClusterCache& clusters)
    : stated_(arms.front()->cluster.link.bandwidth /
              scenario::share_of_link(*arms.front()->stated, arms.front()->work.parallelism)),
      most_(line_rate(arms.front()->work, arms.front()->cluster, *arms.front()->stated)),
      clusters_(clusters) {
  for (const scenario::Scenario* arm : arms) {
    scenario::Cluster& cluster = arms_.emplace_back(*arm).cluster;
    cluster.changes.clear();
    cluster.traces.clear();
    cluster.failures.clear();
    cluster.absences.clear();
    cluster.churn.reset();
  }
}

Result<std::vector<StepRange>> StepsByBandwidth::at(Bandwidth bandwidth) {
  if (const auto known = known_.find(bandwidth.count); known != known_.end()) return known->second;
  std::vector<StepRange> ranges;
  for (scenario::Scenario& arm : arms_) {
    scenario::Cluster& cluster = arm.cluster;
    const netmodels::LinkState link{cluster.link.latency,
                                    bandwidth * scenario::share_of_link(*arm.stated, arm.work.parallelism)};
    const double factor = link.bandwidth / cluster.link.bandwidth;
    for (scenario::WorkerLink& special : cluster.worker_links) {
      special.link.bandwidth *= factor;
      if (special.upload) *special.upload *= factor;
    }
    if (cluster.upload) *cluster.upload *= factor;
    scenario::replace_link(arm, link);
    replace_rate(cluster, link.bandwidth);
    GRADSIM_TRY(steps,
                explain(arm, clusters_, {.compression_worth = false, .dependence = true, .stop = nullptr}));
    ranges.push_back(range_of(steps->front()));
  }
  known_.emplace(bandwidth.count, ranges);
  return ranges;
}

}  // namespace sim::engine
