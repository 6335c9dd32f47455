// Follows a network through its changes.
#include "sim/advise/link_states.hpp"

#include <algorithm>

namespace sim::advise {
namespace {

using scenario::Cluster;

bool is_homogeneous(const Cluster& cluster) {
  const auto some_only = [](const auto& row) { return !row.workers.empty(); };
  const bool links = std::ranges::any_of(cluster.changes, [](const auto& row) { return !row.links.empty(); });
  return cluster.topology->traits.one_switch && cluster.workers_per_node == 1 &&
         cluster.worker_links.empty() && cluster.background.empty() && !links &&
         cluster.preset == scenario::NetworkPreset::exact &&
         std::ranges::none_of(cluster.changes, some_only) && std::ranges::none_of(cluster.traces, some_only);
}

template <class Change>
void follow(std::vector<netmodels::LinkState>& states, const Change& change) {
  netmodels::LinkState next = states.back();
  if (change.latency) next.latency = *change.latency;
  if (change.bandwidth) next.bandwidth = *change.bandwidth;
  states.push_back(next);
}

}  // namespace

std::optional<std::vector<netmodels::LinkState>> link_states(const Cluster& cluster) {
  const std::size_t traces = cluster.traces.size();
  if (!is_homogeneous(cluster) || traces > 1 || (traces == 1 && !cluster.changes.empty()))
    return std::nullopt;
  std::vector<netmodels::LinkState> states{{cluster.link.latency, cluster.link.bandwidth}};
  for (const scenario::LinkChange& change : cluster.changes) follow(states, change);
  if (traces == 0) return states;
  for (const scenario::LinkTrace::Point& point : cluster.traces.front().points) follow(states, point);
  if (cluster.traces.front().points.front().at == netmodels::Seconds{}) states.erase(states.begin());
  return states;
}

}  // namespace sim::advise
