// Reads workloads with a graph, key by key.
#include "sim/inputs/traced_workload_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "netmodels/traced_step.hpp"
#include "netmodels/utilisation.hpp"
#include "settings/type.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/inputs/stack_file.hpp"
#include "sim/language/text_file.hpp"

namespace sim::inputs {

using namespace settings;

void describe(Fields& fields, TracedKeys& keys) {
  fields.field({.name = "name", .doc = "Name of the workload.", .fallback = "unnamed"}, keys.name);
  fields.field({.name = "provenance",
                .doc = "Source of the trace: who recorded it, and where.",
                .fallback = "stated in place"},
               keys.provenance);
  fields.field({.name = "device",
                .doc = "Device that was traced; where the graph states FLOPs, the one that computes, unless "
                       "`cluster.device` names another.",
                .fallback = unstated_device},
               keys.device);
  fields.field({.name = "graph",
                .doc = "CSV file, beside this file, with the operations of a step as a trace has them, as "
                       "`calibrate import` with `--format graph` and `gradsim capture` write it.",
                .example = "my_trace_graph.csv",
                .need = Need::required},
               keys.graph);
  fields.field({.name = "parameters",
                .doc = "Trainable values.",
                .bounds = between(1, 1e15),
                .example = "25557032",
                .need = Need::required},
               keys.parameters);
  fields.field({.name = "batch",
                .doc = "Samples of the traced step; `training.batch` must be equal.",
                .bounds = between(1, 1e9),
                .example = "32",
                .need = Need::required},
               keys.batch);
  fields.field(
      {.name = "recorded_workers",
       .doc = "Workers of the training that was recorded; a cluster with another number is warned of. "
              "Left out where the cells of the graph follow from the number of workers.",
       .bounds = between(1, 1e9),
       .example = "64"},
      keys.recorded_workers);
  fields.field(
      {.name = "workers_per_replica",
       .doc = "Workers that compute the samples of one `batch` together, as with tensor parallelism; "
              "without it, each has a batch of its own.",
       .bounds = between(1, 1e9),
       .example = "8"},
      keys.workers_per_replica);
  fields.field({.name = "precision",
                .doc = "Arithmetic of the matrix products of a graph that states FLOPs, in place of the one "
                       "that it states; without either, the device's first, which is tf32 for cards of "
                       "NVIDIA that have it.",
                .example = "bf16"},
               keys.precision);
  fields.field(
      {.name = "stack",
       .doc = "Where the graph states FLOPs: a file of scenarios/stacks, whose published utilisation "
              "of the device holds all of both passes, in place of the device's roofline.",
       .example = "megatron-te-2025"},
      keys.stack);
}

namespace {

using netmodels::LinearTime;
using netmodels::Result;
using netmodels::TimeOrigin;
using netmodels::Workload;

/// All of it is one layer, for what asks for sizes and times.
netmodels::Layer traced_layer(const TracedKeys& keys, const netmodels::TracedStep& step) {
  netmodels::Layer layer;
  layer.name = "traced step";
  layer.kind = "trace";
  layer.parameters = keys.parameters;
  layer.backward = LinearTime{{}, undisturbed(step) / static_cast<double>(keys.batch)};
  return layer;
}

/// A device in one arithmetic, and what a stack reaches of its peak.
struct Peak {
  netmodels::Device device;
  std::optional<netmodels::PassUtilisation> reached;
};

std::optional<Precision> precision_named(std::string_view text) {
  for (const auto& word : names_of(Precision{}))
    if (word.name == text) return word.value;
  return std::nullopt;
}

/// Sets the durations that follow from work.
class GraphTimes {
 public:
  /// @param named  names a device file
  GraphTimes(const language::Value& named, const std::filesystem::path& data_dir, const TracedKeys& keys,
             const language::Value& map)
      : named_(named), data_dir_(data_dir), keys_(keys), map_(map) {}

  Result<void> predict(netmodels::TracedStep& step) {
    for (netmodels::TracedOperation& operation : step.operations) {
      if (!operation.work) continue;
      const netmodels::DeviceWork& work = *operation.work;
      GRADSIM_TRY(found, peak_for(work));
      const Peak& peak = **found;
      operation.duration =
          peak.reached ? time_at(*peak.reached, peak.device, work) : time_on(peak.device, work);
    }
    return {};
  }

 private:
  Result<const Peak*> peak_for(const netmodels::DeviceWork& work) {
    const bool at_peak = runs_at_peak(work.kind) && work.flops > netmodels::Flops{};
    std::optional<Precision> precision;
    if (at_peak) precision = keys_.precision ? keys_.precision : precision_named(work.precision);
    const std::string name = precision ? std::string(name_of(*precision)) : "";
    const auto known = peaks_.find(name);
    if (known != peaks_.end()) return &known->second;
    GRADSIM_TRY(device, load_device(named_, data_dir_, precision));
    Peak peak{std::move(*device), std::nullopt};
    if (keys_.stack) {
      GRADSIM_TRY(reached, reached_by_stack(peak.device));
      peak.reached = *reached;
    }
    return &peaks_.emplace(name, std::move(peak)).first->second;
  }

  [[nodiscard]] Result<netmodels::PassUtilisation> reached_by_stack(const netmodels::Device& device) const {
    const language::Value& stated = *map_.find("stack");
    const Precision precision = precision_named(device.precision).value_or(Precision::fp32);
    GRADSIM_TRY(stack, load_stack(stated, data_dir_, device.name, precision, device.peak));
    const auto share = utilisation_of_size(stack->rule, static_cast<double>(keys_.parameters));
    if (share) return netmodels::PassUtilisation{*share, stack->rule.attention_weight};
    return netmodels::refuse(stated.origin().text(), "stack `" + stack->stack + "`: " + share.error().what,
                             "leave out `stack`: the roofline of the device counts then");
  }

  const language::Value& named_;
  const std::filesystem::path& data_dir_;
  const TracedKeys& keys_;
  const language::Value& map_;
  std::map<std::string, Peak, std::less<>> peaks_;  ///< peaks by arithmetic
};

/// The cluster's device, else that of the map.
Result<const language::Value*> device_of_graph(const language::Value& map,
                                               const language::Value* cluster_device) {
  const language::Value* named = cluster_device != nullptr ? cluster_device : map.find("device");
  if (named != nullptr) return named;
  return netmodels::refuse(
      map.origin().text(),
      "the graph states FLOPs, and neither the workload nor the cluster states its device",
      "write `cluster.device`, or `workload.device`: for example `h100_sxm_datasheet`");
}

/// Keys that act on predicted durations only.
Result<void> check_without_work(const TracedKeys& keys, const language::Value& map) {
  const char* unused = keys.precision ? "precision" : keys.stack ? "stack" : nullptr;
  if (unused == nullptr) return {};
  return netmodels::refuse(
      map.find(unused)->origin().text(),
      fmt::format("`{}` has no effect: the graph states durations, and no FLOPs", unused), "leave it out");
}

/// Says in a workload on which device its durations were predicted.
void note_device(const language::Value& named, const std::filesystem::path& data_dir,
                 const std::string& device, const TracedKeys& keys, Workload& workload) {
  if (const auto file = find_device_file(named, data_dir)) workload.device_file = file->string();
  workload.device = device;
  workload.origin = keys.stack ? TimeOrigin::utilisation : TimeOrigin::roofline;
  const std::string by = keys.stack ? "utilisation of " + *keys.stack + " on" : "roofline of";
  workload.provenance += fmt::format("; durations predicted by the {} {}", by, device);
}

/// Neighbours that sum other values than gradients compute one batch together, as with tensor parallelism.
bool shares_samples(const netmodels::TracedOperation& operation) {
  if (!operation.collective) return false;
  const netmodels::TracedCollective& sum = *operation.collective;
  const bool neighbours = sum.reach == netmodels::CollectiveReach::within_node ||
                          (sum.reach == netmodels::CollectiveReach::groups && sum.group.stride == 1);
  return neighbours && sum.kind == netmodels::CollectiveKind::all_reduce && !sum.gradient;
}

/// A warning of samples that several workers share; empty where gradients are not marked, or no worker does.
std::vector<std::string> sample_warnings(const netmodels::TracedStep& step, const std::string& place) {
  const auto found = std::ranges::find_if(step.operations, shares_samples);
  if (!step.marked || found == step.operations.end()) return {};
  return {fmt::format(
      "{}: `{}` sums among neighbours, and not gradients, as tensor parallelism does: they "
      "share their samples, while samples per second and epochs count those of each worker; write "
      "`workers_per_replica`",
      place, found->name)};
}

/// A warning of sizes that belong to another number of workers; empty where there are none.
std::vector<std::string> size_warnings(const TracedKeys& keys, const WorkloadCluster& cluster,
                                       const std::string& place) {
  if (!keys.recorded_workers || !cluster.workers || *keys.recorded_workers == *cluster.workers) return {};
  return {
      fmt::format("{}: the step was recorded with {} workers, and the cluster has {}: bytes and work are "
                  "those of {}, shards too; `gradsim capture --world {},{}` records sizes that "
                  "follow from the number of workers",
                  place, *keys.recorded_workers, *cluster.workers, *keys.recorded_workers,
                  *keys.recorded_workers, 2 * *keys.recorded_workers)};
}

/// Values of the marked gradients, against the parameters.
struct GradientValues {
  double sum = 0;
  double largest = 0;  ///< values of the largest collective
};

GradientValues gradient_values(const netmodels::TracedStep& step) {
  GradientValues values;
  for (const std::uint32_t index : step.gradients()) {
    const netmodels::TracedCollective& one = *step.operations[index].collective;
    if (one.reach == netmodels::CollectiveReach::between_nodes) continue;  // shards of sums within nodes
    const double count = one.size.count / one.value_bytes;
    values.sum += count;
    values.largest = std::max(values.largest, count);
  }
  return values;
}

/// Marked gradients are those of the parameters: all of them, once or in each of several micro-batches; or
/// fewer, where some are not marked or workers share them.
Result<void> check_parameters(const TracedKeys& keys, const netmodels::TracedStep& step,
                              const language::Value& map) {
  if (!step.marked) return {};
  const auto parameters = static_cast<double>(keys.parameters);
  const GradientValues values = gradient_values(step);
  const bool repeated = values.largest <= parameters && std::fmod(values.sum, parameters) == 0;
  if (values.sum < parameters + 1 || repeated) return {};  // parameters are whole
  return netmodels::refuse(
      map.find("parameters")->origin().text(),
      fmt::format("the gradients of `{}` have {:.0f} values, more than {} parameters", keys.graph, values.sum,
                  keys.parameters),
      fmt::format("write `parameters: {:.0f}`, or the number that each micro-batch sums", values.sum));
}

/// A warning of parameters whose gradients are not marked; empty where all are, by the workers that share
/// them.
std::vector<std::string> gradient_warnings(const TracedKeys& keys, const netmodels::TracedStep& step,
                                           const std::string& place) {
  const double workers = keys.workers_per_replica.value_or(1);
  const double sum = step.marked ? workers * gradient_values(step).sum : 0;
  if (sum == 0 || sum >= static_cast<double>(keys.parameters)) return {};
  return {
      fmt::format("{}: the marked gradients have {:.0f} values of {} parameters; compression compresses "
                  "these",
                  place, sum, keys.parameters)};
}

}  // namespace

Result<Workload> read_traced_workload(const language::Field& field, const std::filesystem::path& data_dir,
                                      const WorkloadCluster& cluster) {
  TracedKeys keys;
  if (const auto read = language::read_map(field, keys); !read) return tl::unexpected(read.error());
  GRADSIM_TRY(step, read_traced_step(language::find_file_of(field.value, "graph"), cluster.workers));
  GRADSIM_TRY(fits, check_parameters(keys, *step, field.value));
  Workload workload;
  workload.name = keys.name;
  workload.provenance = keys.provenance;
  workload.device = keys.device;
  workload.origin = TimeOrigin::measured;
  workload.reference_batch = keys.batch;
  if (step->is_predicted()) {
    GRADSIM_TRY(named, device_of_graph(field.value, cluster.device));
    GRADSIM_TRY(device, load_device(**named, data_dir));
    GRADSIM_TRY(predicted, GraphTimes(**named, data_dir, keys, field.value).predict(*step));
    note_device(**named, data_dir, device->name, keys, workload);
  } else if (auto checked = check_without_work(keys, field.value); !checked) {
    return tl::unexpected(checked.error());
  }
  workload.layers = {traced_layer(keys, *step)};
  workload.sharers = static_cast<std::uint32_t>(keys.workers_per_replica.value_or(1));
  const std::string place = field.value.find("graph")->origin().text();
  for (auto&& found : {keys.workers_per_replica ? std::vector<std::string>() : sample_warnings(*step, place),
                       size_warnings(keys, cluster, place), gradient_warnings(keys, *step, place)})
    workload.warnings.insert(workload.warnings.end(), found.begin(), found.end());
  workload.traced = std::make_shared<const netmodels::TracedStep>(std::move(*step));
  return workload;
}

}  // namespace sim::inputs
