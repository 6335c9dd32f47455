// Reads devices.
#include "sim/scenario/device_file.hpp"

#include "sim/scenario/document.hpp"
#include "sim/scenario/fields_device.hpp"
#include "sim/scenario/reader.hpp"
#include "sim/scenario/text_file.hpp"

namespace sim::scenario {
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
                             "`precision`: `" + keys.precision + "` is not known", "fp32 or tf32");
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
