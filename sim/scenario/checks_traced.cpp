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

/// Groups within nodes and between them need nodes.
Result<void> check_node_groups(const netmodels::TracedStep& traced, int per_node,
                               const language::Value& tree) {
  if (!traced.has_node_groups() || per_node > 1) return {};
  return language::refuse_at(tree, "cluster.workers_per_node",
                             "the trace has groups within nodes, and nodes have 1 worker",
                             "write how many workers a node has");
}

/// Evenly spaced groups must hold all workers.
Result<void> check_rank_groups(const netmodels::TracedStep& traced, int workers,
                               const language::Value& tree) {
  const auto count = static_cast<std::uint64_t>(workers);
  for (const netmodels::TracedOperation& operation : traced.operations) {
    if (!operation.collective || operation.collective->reach != netmodels::CollectiveReach::groups) continue;
    const netmodels::RankGroup& group = operation.collective->group;
    const std::string text = fmt::format("{}:{}:{}", group.start, group.stride, group.count);
    if (count % group.block() != 0) {
      return language::refuse_at(tree, "cluster.workers",
                                 fmt::format("`{}` exchanges in the group {}, and {} workers are not a "
                                             "multiple of {} x {}",
                                             operation.name, text, workers, group.stride, group.count),
                                 fmt::format("write a multiple of {}", group.block()));
    }
    if (group.start < count) continue;
    return language::refuse_at(
        tree, "cluster.workers",
        fmt::format("`{}` exchanges in the group {}, and the last worker is {}", operation.name, text,
                    workers - 1),
        fmt::format("write {} workers or more", group.start + (group.count - 1) * group.stride + 1));
  }
  return {};
}

}  // namespace

Result<void> check_traced(const netmodels::Workload& workload, const Training& training,
                          const Cluster& cluster, const language::Value& tree) {
  if (!workload.traced) return {};
  if (auto checked = check_traced_batch(training, workload.reference_batch, tree); !checked) return checked;
  const netmodels::TracedStep& traced = *workload.traced;
  if (auto checked = check_node_groups(traced, cluster.workers_per_node, tree); !checked) return checked;
  return check_rank_groups(traced, cluster.workers, tree);
}

}  // namespace sim::scenario
