// Reads devices, key by key.
#include "sim/scenario/device_file.hpp"

#include "settings/type.hpp"
#include "sim/scenario/document.hpp"
#include "sim/scenario/reader.hpp"
#include "sim/scenario/text_file.hpp"

namespace sim::scenario {

// Every key of a device file.

using namespace settings;

void describe(Fields& fields, EfficiencyKeys& keys) {
  fields.field({.name = "share",
                .doc = "Share of the peak that real kernels reach.",
                .bounds = above_up_to(0, 1),
                .example = "0.8",
                .share = true},
               keys.share);
  fields.field({.name = "source",
                .doc = "Who measured it, and on which device.",
                .example = "copy of 1 GB on one H200"},
               keys.source);
}

void describe(Fields& fields, DeviceKeys& keys) {
  fields.field({.name = "name", .doc = "Name of the device.", .example = "v100_sxm2_datasheet"}, keys.name);
  fields.field({.name = "provenance",
                .doc = "Source of the figures.",
                .example = "\"vendor datasheet: NVIDIA V100, SXM2\""},
               keys.provenance);
  fields.field(
      {.name = "precision", .doc = "Arithmetic that the peak is for: fp32 or tf32.", .fallback = "fp32"},
      keys.precision);
  fields.field({.name = "peak",
                .doc = "Dense floating-point operations per second.",
                .bounds = above(0),
                .example = "15.7 TFLOP/s"},
               keys.peak);
  fields.field({.name = "memory_bandwidth",
                .doc = "Peak of the device's own memory.",
                .bounds = above(0),
                .example = "900 GB/s"},
               keys.memory_bandwidth);
  fields.field({.name = "compute_efficiency", .doc = "Without it, 1: predicted times are lower bounds."},
               keys.compute_efficiency);
  fields.field({.name = "memory_efficiency", .doc = "Without it, 1: predicted times are lower bounds."},
               keys.memory_efficiency);
  fields.field({.name = "launch",
                .doc = "Fixed time per kernel, never hidden.",
                .fallback = "0 s",
                .bounds = at_least(0)},
               keys.launch);
}

// Reads devices.

namespace {

using netmodels::Device;
using netmodels::Efficiency;
using netmodels::Result;

Efficiency efficiency_of(const std::optional<EfficiencyKeys>& keys) {
  return keys ? Efficiency{keys->share, keys->source} : Efficiency{};
}

Result<Device> read_device(const Value& map) {
  DeviceKeys keys;
  const Field field{map, "", settings::Key{.name = "device", .doc = "a map of the device's keys"}};
  if (const auto read = read_map(field, keys); !read) return tl::unexpected(read.error());
  if (keys.precision != "fp32" && keys.precision != "tf32") {
    return netmodels::refuse(map.find("precision")->origin().text(),
                             "`precision`: unknown value `" + keys.precision + "`", "fp32 or tf32");
  }
  const Device device{.name = keys.name,
                      .provenance = keys.provenance,
                      .precision = keys.precision,
                      .peak = keys.peak,
                      .memory_bandwidth = keys.memory_bandwidth,
                      .compute = efficiency_of(keys.compute_efficiency),
                      .memory = efficiency_of(keys.memory_efficiency),
                      .launch = keys.launch};
  const auto checked = netmodels::check(device);
  if (!checked) return netmodels::refuse(map.origin().text(), checked.error().what, checked.error().hint);
  return device;
}

}  // namespace

Result<Device> load_device(const Value& value, const std::filesystem::path& data_dir) {
  if (!value.is_scalar()) return read_device(value);
  GRADSIM_TRY(path, find_named(value, data_dir / "devices", "device"));
  GRADSIM_TRY(document, read_document(*path));
  return read_device(document->root);
}

std::vector<std::string> list_devices(const std::filesystem::path& data_dir) {
  return names_in(data_dir / "devices");
}

}  // namespace sim::scenario
