// Reads workloads, key by key.
#include "sim/inputs/workload_file.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "netmodels/roofline.hpp"
#include "settings/type.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/inputs/traced_workload_file.hpp"
#include "sim/inputs/transformer_file.hpp"
#include "sim/language/document.hpp"
#include "sim/language/reader.hpp"
#include "sim/language/text_file.hpp"

namespace sim::inputs {

// Every key of a workload: of a file in scenarios/workloads, and of a model stated in place.

using namespace settings;

void describe(Fields& fields, HostOverheadKeys& keys) {
  fields.field({.name = "fixed", .doc = "Per step.", .fallback = "0 s", .bounds = at_least(0)}, keys.fixed);
  fields.field(
      {.name = "per_sample", .doc = "Per step and sample.", .fallback = "0 s", .bounds = at_least(0)},
      keys.per_sample);
}

/// The work after or during the passes, in either form of a workload.
template <class Keys>
void describe_rest(Fields& fields, Keys& keys) {
  fields.field({.name = "batch",
                .doc = "Samples at which the times were measured, published or predicted.",
                .bounds = between(1, 1e9),
                .example = "32",
                .need = Need::required},
               keys.batch);
  fields.field(
      {.name = "fixed_share",
       .doc = "Share of each layer's time that does not grow with the batch; 0 where only one batch was "
              "measured.",
       .bounds = between(0, 1),
       .example = "0.1",
       .share = true},
      keys.fixed_share);
  fields.field({.name = "optimizer",
                .doc = "Per step, after the gradients are available.",
                .fallback = "0 s",
                .bounds = at_least(0)},
               keys.optimizer);
  fields.field({.name = "host_overhead",
                .doc = "Per step, not hidden behind the device: one time, or `fixed` and `per_sample`.",
                .fallback = "0 s"},
               keys.host_overhead);
}

void describe(Fields& fields, TimesKeys& keys) {
  fields.field({.name = "measured",
                .doc = "CSV file with the time of each layer.",
                .example = "times/resnet50_v100_sxm2.csv"},
               keys.measured);
  fields.field({.name = "total",
                .doc = "Time of both passes, to be spread over the layers.",
                .bounds = above(0),
                .example = "28 ms"},
               keys.total);
  fields.field(
      {.name = "roofline", .doc = "Device on which to predict the times.", .example = "v100_sxm2_datasheet"},
      keys.roofline);
  fields.field({.name = "device",
                .doc = "Device that the times belong to; for `total`, a file of scenarios/devices.",
                .example = "v100_sxm2_datasheet"},
               keys.device);
  fields.field(
      {.name = "precision",
       .doc = "For `roofline` and `total`: the peak of the device that counts; without it, the device's "
              "first, which is tf32 for cards of NVIDIA that have it. Bytes stay those of fp32.",
       .example = "bf16"},
      keys.precision);
  fields.field({.name = "unmeasured",
                .doc = "Types of layers that the file of `measured` does not cover.",
                .example = "[add]"},
               keys.unmeasured);
  describe_rest(fields, keys);
}

void describe(Fields& fields, LayeredKeys& keys) {
  fields.field({.name = "name", .doc = "Name of the workload.", .example = "resnet50_v100"}, keys.name);
  fields.field({.name = "provenance",
                .doc = "Source of the figures: who measured or published them, and where.",
                .example = "\"PyTorch profiler, V100, 2024\""},
               keys.provenance);
  fields.field({.name = "layers",
                .doc = "CSV file with the layers, beside this file.",
                .example = "layers/resnet50.csv"},
               keys.layers);
  fields.field(
      {.name = "buffers",
       .doc =
           "Size of the state that is not trained, which some execution models broadcast before "
           "every forward pass. Default: running means, variances and counters of layers of type batchnorm.",
       .example = "212904 B"},
      keys.buffers);
  fields.field({.name = "times",
                .doc = "Source of the times.",
                .example = "{total: 28 ms, device: v100_sxm2_datasheet, batch: 64}",
                .need = Need::required},
               keys.times);
}

void describe(Fields& fields, PlainKeys& keys) {
  fields.field({.name = "name", .doc = "Name of the workload.", .fallback = "unnamed"}, keys.name);
  fields.field({.name = "provenance",
                .doc = "Source of the figures: who measured or published them, and where.",
                .fallback = "stated in place"},
               keys.provenance);
  fields.field({.name = "device", .doc = "Device that the time belongs to.", .fallback = unstated_device},
               keys.device);
  fields.field({.name = "parameters",
                .doc = "Trainable values, in layers of equal size and time.",
                .bounds = between(1, 1e15),
                .example = "25557032",
                .need = Need::required},
               keys.parameters);
  fields.field({.name = "tensors",
                .doc = "Parameter tensors: as many layers, if there are as many values. Published times of "
                       "compressing and exchanges of single tensors grow with their number.",
                .fallback = "64",
                .bounds = between(1, 100000),
                .example = "161"},
               keys.tensors);
  fields.field({.name = "buffers",
                .doc = "Size of the state that is not trained, which some execution models broadcast before "
                       "every forward pass. Default: none.",
                .example = "212904 B"},
               keys.buffers);
  fields.field({.name = "compute",
                .doc = "Forward and backward pass together, at `batch`.",
                .bounds = above(0),
                .example = "28 ms",
                .need = Need::required,
                .measure = "the time of a step on one worker, whose exchange costs nothing"},
               keys.compute);
  describe_rest(fields, keys);
}

// Reads workloads and gives their layers times.

namespace {

namespace fs = std::filesystem;
using netmodels::LinearTime;
using netmodels::PassTimes;
using netmodels::refuse;
using netmodels::Result;
using netmodels::TimeOrigin;
using netmodels::Workload;

constexpr settings::Key workload_key{.name = "workload", .doc = "a map of the workload's keys"};

/// Folder in which names and relative paths of a workload are sought, and the cluster that runs it.
struct Folders {
  fs::path data;
  WorkloadCluster cluster;
};

/// The times of a workload as they were written, for errors that concern more than one key.
struct Times {
  const language::Value& map;
  const TimesKeys& keys;

  [[nodiscard]] tl::unexpected<netmodels::Error> refused(std::string what, std::string hint) const {
    return refuse(map.origin().text(), std::move(what), std::move(hint));
  }
};

Result<void> check_combination(const Times& times) {
  const TimesKeys& keys = times.keys;
  if (keys.measured.has_value() + keys.total.has_value() + keys.roofline.has_value() != 1) {
    return times.refused("`times` does not state its source",
                         "exactly one of `measured`, `total` and `roofline`");
  }
  if (keys.roofline && (keys.device || keys.fixed_share)) {
    return times.refused("with `roofline`, `device` and `fixed_share` are not used", "leave it out");
  }
  if (!keys.roofline && !keys.device) {
    return times.refused("the key `device` is missing",
                         keys.total
                             ? "write for example `device: v100_sxm2_datasheet`, a file of scenarios/devices"
                             : "write on which device the layers were measured");
  }
  if (keys.measured && keys.precision) {
    return times.refused("with `measured`, `precision` is not used", "leave it out");
  }
  if (!keys.measured && !keys.unmeasured.empty()) {
    return times.refused("`unmeasured` belongs to `measured`", "leave it out");
  }
  return {};
}

void set_times(Workload& workload, const std::vector<PassTimes>& times) {
  for (std::size_t index = 0; index < times.size(); ++index) {
    workload.layers[index].forward = times[index].forward;
    workload.layers[index].backward = times[index].backward;
  }
}

/// A device that is named by the path of its file counts as a shipped one; any other text is sought among
/// their names.
Result<void> take_own_device(const language::Value& map, const fs::path& data_dir, Workload& workload) {
  const language::Value* named = map.find("device");
  if (named == nullptr || !language::is_path(named->text())) return {};
  GRADSIM_TRY(file, find_device_file(*named, data_dir));
  std::error_code failed;
  if (!fs::exists(*file, failed)) return {};
  GRADSIM_TRY(device, load_device(*named, data_dir, std::nullopt));
  workload.device_file = file->string();
  workload.device = device->name;
  return {};
}

Result<void> take_measured(const Times& times, const Folders& folders, Workload& workload) {
  const TimesKeys& keys = times.keys;
  GRADSIM_TRY(read,
              read_measured(language::find_file_of(times.map, "measured"), workload.layers, keys.unmeasured));
  const double fixed_share = keys.fixed_share.value_or(0);
  std::vector<PassTimes> passes;
  for (const MeasuredTime& time : *read) {
    passes.push_back(
        {split(time.forward, keys.batch, fixed_share), split(time.backward, keys.batch, fixed_share)});
  }
  workload.origin = TimeOrigin::measured;
  workload.device = *keys.device;
  set_times(workload, passes);
  return take_own_device(times.map, folders.data, workload);
}

Result<void> take_modelled(const Times& times, const Folders& folders, Workload& workload) {
  const TimesKeys& keys = times.keys;
  const language::Value& own = *times.map.find(keys.total ? "device" : "roofline");
  GRADSIM_TRY(own_file, find_device_file(own, folders.data));
  const language::Value& named =
      keys.roofline && folders.cluster.device != nullptr ? *folders.cluster.device : own;
  GRADSIM_TRY(file, find_device_file(named, folders.data));
  GRADSIM_TRY(device, load_device(named, folders.data, keys.precision));
  workload.device_file = file->string();
  workload.origin = keys.total ? TimeOrigin::total : TimeOrigin::roofline;
  workload.device = device->name;
  if (*file != *own_file)
    workload.provenance += fmt::format("; here on {}, which the cluster has", device->name);
  set_times(workload, keys.total ? spread(workload.layers, *keys.total, *device, keys.batch,
                                          keys.fixed_share.value_or(0))
                                 : roofline(workload.layers, *device, keys.batch));
  return {};
}

template <class Keys>
void take_rest(const Keys& keys, Workload& workload) {
  workload.reference_batch = keys.batch;
  workload.optimizer = keys.optimizer;
  workload.host_overhead = LinearTime{keys.host_overhead.fixed, keys.host_overhead.per_sample};
}

Result<Workload> read_layered(const language::Field& field, const Folders& folders) {
  LayeredKeys keys;
  if (const auto read = language::read_map(field, keys); !read) return tl::unexpected(read.error());
  const Times times{*field.value.find("times"), keys.times};
  if (const auto checked = check_combination(times); !checked) return tl::unexpected(checked.error());
  GRADSIM_TRY(layers, read_layers(language::find_file_of(field.value, "layers")));

  Workload workload;
  workload.name = keys.name;
  workload.provenance = keys.provenance;
  workload.layers = std::move(*layers);
  if (workload.parameters() == 0) {
    return refuse(field.value.find("layers")->origin().text(),
                  "no layer of `" + keys.layers + "` has parameters", "a model that can be trained");
  }
  workload.buffers = keys.buffers.value_or(netmodels::known_buffers(workload.layers));
  take_rest(keys.times, workload);
  GRADSIM_TRY(taken, keys.times.measured ? take_measured(times, folders, workload)
                                         : take_modelled(times, folders, workload));
  return workload;
}

/// Layers of equal time and of sizes that differ by one value at most, none of them empty.
std::vector<netmodels::Layer> equal_layers(const PlainKeys& keys) {
  const std::int64_t count = std::min<std::int64_t>(keys.tensors, keys.parameters);
  const auto parts = static_cast<double>(count);
  const double fixed_share = keys.fixed_share.value_or(0);
  std::vector<netmodels::Layer> layers;
  for (std::int64_t number = 1; number <= count; ++number) {
    netmodels::Layer layer;
    layer.name = "part " + std::to_string(number);
    layer.kind = "part";
    layer.parameters = keys.parameters / count + (number <= keys.parameters % count ? 1 : 0);
    layer.forward = split(keys.compute / 3.0 / parts, keys.batch, fixed_share);
    layer.backward = split(keys.compute * 2.0 / 3.0 / parts, keys.batch, fixed_share);
    layers.push_back(std::move(layer));
  }
  return layers;
}

Result<Workload> read_plain(const language::Field& field, const Folders& folders) {
  PlainKeys keys;
  if (const auto read = language::read_map(field, keys); !read) return tl::unexpected(read.error());
  Workload workload;
  workload.name = keys.name;
  workload.provenance = keys.provenance;
  workload.device = keys.device;
  workload.origin = TimeOrigin::total;
  workload.layers = equal_layers(keys);
  workload.buffers = keys.buffers.value_or(netmodels::Bytes{});
  take_rest(keys, workload);
  if (auto taken = take_own_device(field.value, folders.data, workload); !taken)
    return tl::unexpected(taken.error());
  return workload;
}

bool has_graph(const language::Value& map) { return map.find("graph") != nullptr; }

bool has_layers(const language::Value& map) {
  return map.find("layers") != nullptr || map.find("times") != nullptr;
}

Result<Workload> read_workload(const language::Field& field, const Folders& folders) {
  if (describes_transformer(field.value))
    return read_transformer(field, folders.data, folders.cluster.device);
  if (has_graph(field.value)) return read_traced_workload(field, folders.data, folders.cluster);
  return has_layers(field.value) ? read_layered(field, folders) : read_plain(field, folders);
}

}  // namespace

const settings::Type& workload_type(const language::Value& map) {
  if (describes_transformer(map)) return settings::type_of<TransformerKeys>();
  if (has_graph(map)) return settings::type_of<TracedKeys>();
  return has_layers(map) ? settings::type_of<LayeredKeys>() : settings::type_of<PlainKeys>();
}

std::array<WorkloadForm, 4> workload_forms() {
  using settings::type_of;
  return {{
      {"", "A workload whose compute time is one total, stated in place or in a file.",
       &type_of<PlainKeys>()},
      {" with layers",
       "A workload with a table of layers: a file of scenarios/workloads, or stated in place.",
       &type_of<LayeredKeys>()},
      {" as traced",
       "A step that runs as a trace has it, written by `calibrate import` with `--format graph`, with the "
       "collectives of the cluster.",
       &type_of<TracedKeys>()},
      {" by description",
       "A transformer: a file of scenarios/workloads, or stated in place. One sample is one sequence.",
       &type_of<TransformerKeys>()},
  }};
}

Result<Workload> load_workload(const language::Value& value, const fs::path& data_dir,
                               const WorkloadCluster& cluster) {
  if (!value.is_scalar()) return read_workload({value, "workload", workload_key}, {data_dir, cluster});
  GRADSIM_TRY(path, language::find_named(value, data_dir / "workloads", "workload"));
  GRADSIM_TRY(document, language::read_document(*path));
  return read_workload({document->root, "", workload_key}, {data_dir, cluster});
}

std::vector<std::string> list_workloads(const fs::path& data_dir) {
  return language::names_in(data_dir / "workloads");
}

}  // namespace sim::inputs
