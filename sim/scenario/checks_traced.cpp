// Conditions on a step that runs as it was traced.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "netmodels/traced_step.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::CollectiveReach;
using netmodels::Result;

/// Maps of the keys below.
constexpr std::array<std::string_view, 4> traced_step_maps{"exchange", "training", "compute", "parallelism"};

/// Keys that change what is in a step.
constexpr std::array<std::string_view, 10> traced_step_keys{"exchange.execution",
                                                            "exchange.overlap",
                                                            "exchange.overlap_slowdown",
                                                            "exchange.first_bucket",
                                                            "exchange.bucket",
                                                            "exchange.broadcast_buffers",
                                                            "exchange.among",
                                                            "training.accumulation",
                                                            "compute.host_overhead",
                                                            "parallelism.gradient_bytes"};

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
  const auto& operations = scenario.workload.traced->operations;
  const bool grouped = std::ranges::any_of(operations, [](const netmodels::TracedOperation& one) {
    return one.collective && one.collective->reach != CollectiveReach::all;
  });
  if (!grouped) return {};
  if (scenario.cluster.workers_per_node == 1)
    return language::refuse_at(tree, "cluster.workers_per_node",
                               "the trace has groups within nodes, and nodes have 1 worker",
                               "write how many workers a node has");
  const bool loses = std::ranges::any_of(scenario.cluster.failures,
                                         [](const Failure& failure) { return failure.worker.has_value(); });
  const std::array<std::pair<const char*, bool>, 3> leaving{{{"absences", !scenario.cluster.absences.empty()},
                                                             {"churn", scenario.cluster.churn.has_value()},
                                                             {"failures", loses}}};
  for (const auto& [key, stated] : leaving) {
    if (!stated) continue;
    return language::refuse_at(tree, fmt::format("cluster.{}", key),
                               "the trace has groups within nodes, which a worker that leaves breaks",
                               fmt::format("leave out `{}`", key));
  }
  return {};
}

}  // namespace

Result<void> check_traced(const Scenario& scenario, const language::Value& tree) {
  if (!scenario.workload.traced) return {};
  const language::Value defaults = defaults_of(traced_step_maps);
  for (const std::string_view key : traced_step_keys) {
    const language::Value* stated = language::find_path(tree, key);
    if (stated == nullptr || is_default(*stated, language::find_path(defaults, key))) continue;
    return language::refuse_at(tree, std::string(key),
                               "the step runs as it was traced, which this key would change",
                               "leave it out, or import the trace with `--format workload`");
  }
  if (scenario.compression.method != "none" || scenario.compression.policy->traits.decides) {
    return language::refuse_at(tree, "compression", "the step runs as it was traced, and compresses nothing",
                               "leave it out, or import the trace with `--format workload`");
  }
  const auto& traits = scenario.synchronisation->traits;
  if (!traits.every_step || exchanges_models(scenario.synchronisation) ||
      is_asynchronous(scenario.synchronisation)) {
    return language::refuse_at(tree, "synchronisation",
                               "the step runs as it was traced, with all of its exchanges",
                               "write `synchronisation: bsp`, or import the trace with `--format workload`");
  }
  if (is_sharded(scenario) || scenario.parallelism.tensor > 1 || scenario.parallelism.pipeline > 1) {
    return language::refuse_at(tree, "parallelism", "the trace has its own sharding",
                               "leave it out, or describe the model by `transformer`");
  }
  if (scenario.batching->traits.decides || scenario.streams) {
    return language::refuse_at(tree, scenario.streams ? "streams" : "batching", "the trace is of one batch",
                               "leave it out");
  }
  if (auto checked = check_traced_batch(scenario, tree); !checked) return checked;
  return check_traced_groups(scenario, tree);
}

}  // namespace sim::scenario
