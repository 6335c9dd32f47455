// Conditions on a step that runs as it was traced.
#include <algorithm>

#include <fmt/format.h>

#include "netmodels/traced_step.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

Result<void> check_traced_batch(const Scenario& scenario, const language::Value& tree) {
  const int traced = scenario.workload.reference_batch;
  const auto other = [traced](int batch) { return batch != traced; };
  const std::vector<int>& each = scenario.training.batches;
  const bool own = std::ranges::any_of(each, other);
  if (!own && (!each.empty() || !other(scenario.training.batch))) return {};
  return language::refuse_at(tree, own ? "training.batches" : "training.batch",
                             fmt::format("the trace is of steps with {} samples a worker", traced),
                             fmt::format("write `training.batch: {}`, or trace another batch", traced));
}

/// Groups of the trace need nodes.
Result<void> check_traced_groups(const Scenario& scenario, const language::Value& tree) {
  if (!scenario.workload.traced->has_groups() || scenario.cluster.workers_per_node > 1) return {};
  return language::refuse_at(tree, "cluster.workers_per_node",
                             "the trace has groups within nodes, and nodes have 1 worker",
                             "write how many workers a node has");
}

}  // namespace

Result<void> check_traced(const Scenario& scenario, const language::Value& tree) {
  if (!scenario.workload.traced) return {};
  if (auto checked = check_traced_batch(scenario, tree); !checked) return checked;
  return check_traced_groups(scenario, tree);
}

}  // namespace sim::scenario
