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

/// @param traced  samples of a worker
Result<void> check_traced_batch(const Training& training, int traced, const language::Value& tree) {
  const auto other = [traced](int batch) { return batch != traced; };
  const std::vector<int>& each = training.batches;
  const bool own = std::ranges::any_of(each, other);
  if (!own && (!each.empty() || !other(training.batch))) return {};
  return language::refuse_at(tree, own ? "training.batches" : "training.batch",
                             fmt::format("the trace is of steps with {} samples a worker", traced),
                             fmt::format("write `training.batch: {}`, or trace another batch", traced));
}

/// Groups of the trace need nodes.
Result<void> check_traced_groups(const netmodels::TracedStep& traced, int per_node,
                                 const language::Value& tree) {
  if (!traced.has_groups() || per_node > 1) return {};
  return language::refuse_at(tree, "cluster.workers_per_node",
                             "the trace has groups within nodes, and nodes have 1 worker",
                             "write how many workers a node has");
}

}  // namespace

Result<void> check_traced(const netmodels::Workload& workload, const Training& training,
                          const Cluster& cluster, const language::Value& tree) {
  if (!workload.traced) return {};
  if (auto checked = check_traced_batch(training, workload.reference_batch, tree); !checked) return checked;
  return check_traced_groups(*workload.traced, cluster.workers_per_node, tree);
}

}  // namespace sim::scenario
