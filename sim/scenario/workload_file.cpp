// Reads workloads and gives their layers times.
#include "sim/scenario/workload_file.hpp"

#include <utility>

#include "netmodels/roofline.hpp"
#include "sim/scenario/device_file.hpp"
#include "sim/scenario/document.hpp"
#include "sim/scenario/fields_workload.hpp"
#include "sim/scenario/input_files.hpp"
#include "sim/scenario/reader.hpp"
#include "sim/scenario/text_file.hpp"

namespace sim::scenario {
namespace {

namespace fs = std::filesystem;
using netmodels::LinearTime;
using netmodels::PassTimes;
using netmodels::refuse;
using netmodels::Result;
using netmodels::TimeOrigin;
using netmodels::Workload;

constexpr settings::Key workload_key{.name = "workload", .doc = "a map of the workload's keys"};

/// Where names and relative paths of a workload are sought.
struct Folders {
  fs::path data;
  fs::path file;  ///< of the file that holds the map
};

/// The times of a workload as they were written, for errors that concern more than one key.
struct Times {
  const Value& map;
  const TimesKeys& keys;

  [[nodiscard]] tl::unexpected<netmodels::Error> refused(std::string what, std::string hint) const {
    return refuse(map.origin().text(), std::move(what), std::move(hint));
  }
};

Result<void> check_combination(const Times& times) {
  const TimesKeys& keys = times.keys;
  if (keys.measured.has_value() + keys.total.has_value() + keys.roofline.has_value() != 1) {
    return times.refused("`times` does not say where they come from",
                         "exactly one of `measured`, `total` and `roofline`");
  }
  if (keys.roofline && (keys.device || keys.fixed_share)) {
    return times.refused("with `roofline`, neither `device` nor `fixed_share` has a meaning", "leave it out");
  }
  if (!keys.roofline && !keys.device) {
    return times.refused("the key `device` is missing",
                         keys.total
                             ? "write for example `device: v100_sxm2_datasheet`, a file of scenarios/devices"
                             : "write on which device the layers were measured");
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

Result<void> take_measured(const Times& times, const Folders& folders, Workload& workload) {
  const TimesKeys& keys = times.keys;
  GRADSIM_TRY(read,
              read_measured(find_file(*keys.measured, {folders.file}), workload.layers, keys.unmeasured));
  const double fixed_share = keys.fixed_share.value_or(0);
  std::vector<PassTimes> passes;
  for (const MeasuredTime& time : *read) {
    passes.push_back(
        {split(time.forward, keys.batch, fixed_share), split(time.backward, keys.batch, fixed_share)});
  }
  workload.origin = TimeOrigin::measured;
  workload.device = *keys.device;
  set_times(workload, passes);
  return {};
}

Result<void> take_modelled(const Times& times, const Folders& folders, Workload& workload) {
  const TimesKeys& keys = times.keys;
  GRADSIM_TRY(device, load_device(*times.map.find(keys.total ? "device" : "roofline"), folders.data));
  workload.origin = keys.total ? TimeOrigin::total : TimeOrigin::roofline;
  workload.device = device->name;
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

Result<Workload> read_layered(const Field& field, const Folders& folders) {
  LayeredKeys keys;
  if (const auto read = read_map(field, keys); !read) return tl::unexpected(read.error());
  const Times times{*field.value.find("times"), keys.times};
  if (const auto checked = check_combination(times); !checked) return tl::unexpected(checked.error());
  GRADSIM_TRY(layers, read_layers(find_file(keys.layers, {folders.file})));

  Workload workload;
  workload.name = keys.name;
  workload.provenance = keys.provenance;
  workload.layers = std::move(*layers);
  if (workload.parameters() == 0) {
    return refuse(field.value.find("layers")->origin().text(),
                  "no layer of `" + keys.layers + "` has parameters", "a model that can be trained");
  }
  take_rest(keys.times, workload);
  GRADSIM_TRY(taken, keys.times.measured ? take_measured(times, folders, workload)
                                         : take_modelled(times, folders, workload));
  return workload;
}

Result<Workload> read_plain(const Field& field) {
  PlainKeys keys;
  if (const auto read = read_map(field, keys); !read) return tl::unexpected(read.error());
  const double fixed_share = keys.fixed_share.value_or(0);
  netmodels::Layer layer;
  layer.name = "whole model";
  layer.kind = "model";
  layer.parameters = keys.parameters;
  layer.forward = split(keys.compute / 3.0, keys.batch, fixed_share);
  layer.backward = split(keys.compute * 2.0 / 3.0, keys.batch, fixed_share);

  Workload workload;
  workload.name = keys.name;
  workload.provenance = keys.provenance;
  workload.device = keys.device;
  workload.origin = TimeOrigin::total;
  workload.layers.push_back(std::move(layer));
  take_rest(keys, workload);
  return workload;
}

Result<Workload> read_workload(const Field& field, const Folders& folders) {
  const bool layered = field.value.find("layers") != nullptr || field.value.find("times") != nullptr;
  return layered ? read_layered(field, folders) : read_plain(field);
}

}  // namespace

Result<Workload> load_workload(const Value& value, const fs::path& data_dir) {
  if (!value.is_scalar())
    return read_workload({value, "workload", workload_key}, {data_dir, folder_of(value)});
  GRADSIM_TRY(path, find_named(value, data_dir / "workloads", "workload"));
  GRADSIM_TRY(document, read_document(*path));
  return read_workload({document->root, "", workload_key}, {data_dir, path->parent_path()});
}

std::vector<std::string> list_workloads(const fs::path& data_dir) { return names_in(data_dir / "workloads"); }

}  // namespace sim::scenario
