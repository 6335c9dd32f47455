// Devices of scenarios/devices, and their keys.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "netmodels/roofline.hpp"
#include "settings/fields.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

// Every key of a device file.

/// A share of a peak, and its source.
struct EfficiencyKeys {
  double share = 1;
  std::string source;
};

/// The contents of a device file.
struct DeviceKeys {
  std::string name;
  std::string provenance;
  std::string precision;
  netmodels::FlopRate peak;
  netmodels::Bandwidth memory_bandwidth;
  std::optional<EfficiencyKeys> compute_efficiency;
  std::optional<EfficiencyKeys> memory_efficiency;
  netmodels::Seconds launch;
};

void describe(settings::Fields& fields, EfficiencyKeys& value);

void describe(settings::Fields& fields, DeviceKeys& value);

// Devices of scenarios/devices.

/// @param value     the name of a file in `data_dir`/devices, a path, or the map itself: name, provenance,
///                  precision (fp32 or tf32), peak, memory_bandwidth, and if known compute_efficiency and
///                  memory_efficiency (each share and source) and launch
/// @param data_dir  the folder `scenarios`
/// @returns the device, or an Error with the place, the key and what is accepted
netmodels::Result<netmodels::Device> load_device(const Value& value, const std::filesystem::path& data_dir);

/// Names that `load_device` accepts, sorted.
std::vector<std::string> list_devices(const std::filesystem::path& data_dir);

}  // namespace sim::scenario
