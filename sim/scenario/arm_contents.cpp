// Contents of the files that an arm names, and of those that measured its device.
#include "sim/scenario/arm_contents.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/inputs/input_files.hpp"
#include "sim/language/place.hpp"
#include "sim/language/text_file.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/trace_files.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

/// @param key  that names the file, for errors of a file as a whole
template <class T>
Result<void> keep(Result<T> read, const std::string& file, T& target, const language::Value& tree,
                  const std::string& key) {
  if (!read && read.error().where == file)
    return language::refuse_at(tree, key, "`" + file + "`: " + read.error().what, read.error().hint);
  if (!read) return tl::unexpected(read.error());
  target = std::move(*read);
  return {};
}

/// Of a file, or measured for this run; what was measured for another arm is left alone.
Result<void> load_kernel_times(Compression& compression, const language::Value& tree) {
  const std::string& file = compression.kernel_times;
  if (compression.measured && file == measure_word) {
    GRADSIM_TRY(costs, measured_costs(*compression.measured, tree));
    compression.kernels = std::move(*costs);
  }
  if (file.empty() || file == measure_word) return {};
  netmodels::KernelCosts& costs = compression.kernels;
  if (auto kept = keep(inputs::read_kernel_costs(file), file, costs, tree, "compression.kernel_times"); !kept)
    return kept;
  if (costs.stack.empty()) return {};
  return language::refuse_at(
      tree, "compression.kernel_times",
      "`" + file + "` has times that were published for " + costs.stack + ", not measured here",
      "name it as `compression.stack`");
}

/// Where no stack is stated, that which was measured on the workload's device, if it has the arm's methods.
Result<void> take_measured_stack(Resolving& arm) {
  GRADSIM_TRY(measured, arm.files.measured_stacks(arm.scenario.work.workload));
  const std::vector<MeasuredStack>& stacks = **measured;
  if (stacks.empty()) return {};
  Compression& compression = arm.scenario.exchange.compression;
  const language::Value usual =
      language::Value::scalar(compression.stack, language::Origin("compression.stack"));
  netmodels::KernelCosts published;  // the usual stack may be absent
  if (auto file = arm.files.find_stack(usual)) {
    GRADSIM_TRY(costs, arm.files.stack_costs(file->string()));
    published = **costs;
  }
  const StackDefault taken = choose_stack(
      stacks, methods_from_stack(compression, arm.scenario.work.parallelism), compression.stack, published);
  compression.stack = taken.name;
  compression.stack_origin = taken.origin;
  if (!taken.measured)
    arm.warnings.push_back(fmt::format("{}: `compression.stack: {}`: {}", place_of(arm.tree, "compression"),
                                       taken.name, taken.origin));
  else if (auto warning = several_stacks_warning(stacks, taken.name))
    arm.warnings.push_back(place_of(arm.tree, "workload") + ": `workload`: " + *warning);
  return {};
}

}  // namespace

Result<void> derive_streams(Resolving& arm) {
  if (!arm.scenario.work.streams || arm.scenario.work.streams->trace.empty()) return {};
  Streams& streams = *arm.scenario.work.streams;
  std::vector<StreamRateChange> changes;
  auto kept = keep(read_stream_trace(streams.trace, arm.scenario.cluster.workers), streams.trace, changes,
                   arm.tree, "streams.trace");
  if (!kept) return kept;
  std::ranges::move(changes, std::back_inserter(streams.changes));
  std::ranges::stable_sort(streams.changes, {}, &StreamRateChange::at);
  return {};
}

Result<void> derive_kernel_times(Resolving& arm) {
  Cluster& cluster = arm.scenario.cluster;
  if (const std::string& file = cluster.collective_times; !file.empty()) {
    auto kept = keep(inputs::read_collective_times(file), file, cluster.measured, arm.tree,
                     "cluster.collective_times");
    if (!kept) return kept;
  }
  return load_kernel_times(arm.scenario.exchange.compression, arm.tree);
}

Result<void> derive_stack(Resolving& arm) {
  Compression& compression = arm.scenario.exchange.compression;
  const language::Value* stated = language::find_path(arm.tree, "compression.stack");
  if (stated == nullptr) {
    if (auto taken = take_measured_stack(arm); !taken) return taken;
  }
  const language::Value asked =
      stated != nullptr ? *stated
                        : language::Value::scalar(compression.stack, language::Origin("compression.stack"));
  auto file = arm.files.find_stack(asked);
  if (!file && stated == nullptr) return {};
  if (!file) return tl::unexpected(file.error());
  GRADSIM_TRY(costs, arm.files.stack_costs(file->string()));
  compression.framework = **costs;
  if (compression.framework.stack.empty()) {
    return language::refuse_at(
        arm.tree, "compression.stack", "`" + file->filename().string() + "` does not state its `stack`",
        "name a file of published times, or write `kernel_times: " + file->filename().string() + "`");
  }
  GRADSIM_TRY(same,
              is_measured_on_device(compression.framework, arm.scenario.work.workload, arm.files.data_dir()));
  compression.measured_on_device = *same;
  return {};
}

Result<void> derive_overlap(Resolving& arm) {
  if (language::find_path(arm.tree, "exchange.overlap_slowdown") != nullptr) return {};
  GRADSIM_TRY(elsewhere, arm.files.measured_overlap(arm.scenario.work.workload));
  OverlapDefault found =
      default_overlap_slowdown(arm.scenario.work, arm.scenario.cluster, arm.scenario.exchange, **elsewhere);
  Exchange& exchange = arm.scenario.exchange;
  exchange.overlap_slowdown = found.share;
  exchange.overlap_slowdown_origin = std::move(found.origin);
  exchange.overlap_slowdown_most = found.most;
  return {};
}

Result<void> derive_traces(Resolving& arm) {
  std::vector<LinkTrace>& traces = arm.scenario.cluster.traces;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    LinkTrace& trace = traces[i];
    const std::string key = language::item("cluster.traces", i);
    if (auto kept = keep(read_trace(trace.file), trace.file, trace.points, arm.tree, key + ".file"); !kept)
      return kept;
    if (trace.period && trace.points.back().at >= *trace.period) {
      return language::refuse_at(arm.tree, key + ".period", "the trace is longer than its period",
                                 "write a period above " + netmodels::print(trace.points.back().at));
    }
  }
  return {};
}

}  // namespace sim::scenario
