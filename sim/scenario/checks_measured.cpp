// Checks measured times against the network that they are to stand for.
#include "sim/scenario/checks_measured.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "sim/scenario/place.hpp"

namespace sim::scenario {

using netmodels::Result;

Result<void> check_measured(const Cluster& cluster, const Value& tree) {
  if (cluster.collective_times.empty()) return {};
  const auto refused = [&](const std::string& key) {
    return refuse_at(
        tree, "cluster." + key,
        "`cluster.collective_times` holds for the network that was measured, and this changes it",
        "leave one of the two out");
  };
  if (!cluster.changes.empty()) return refused("changes");
  if (!cluster.traces.empty()) return refused("traces");
  if (!cluster.background.empty()) return refused("background");
  if (!cluster.failures.empty()) return refused("failures");
  if (cluster.preset != NetworkPreset::exact) return refused("preset");
  return {};
}

std::vector<std::string> measured_doubts(const Scenario& scenario, const Value& tree) {
  const Cluster& cluster = scenario.cluster;
  const bool used = scenario.evaluator == Evaluator::automatic && cluster.workers > 1;
  if (cluster.measured.empty() || !used || decided_by_step(scenario.compression)) return {};
  const auto format = kernels::find_wire_format(scenario.compression.method);
  const kernels::Payload payload{.elements = scenario.workload.parameters()};
  const auto nodes = static_cast<std::uint32_t>(cluster.workers / cluster.workers_per_node);
  std::vector<std::string> found;
  for (const kernels::Stage& stage : (*format)->stages(payload)) {
    if (netmodels::find_measured(cluster.measured, stage.kind, static_cast<std::uint32_t>(cluster.workers),
                                 nodes) != nullptr)
      continue;
    found.push_back(
        fmt::format("{}: `cluster.collective_times` knows no {} on {} ranks of {} nodes: its times are "
                    "computed from links",
                    place_of(tree, "cluster.collective_times"), netmodels::to_string(stage.kind),
                    cluster.workers, nodes));
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());  // clang 14 rejects ranges::unique
  return found;
}

}  // namespace sim::scenario
