// Devices as they lie in scenarios/devices.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "netmodels/device.hpp"
#include "netmodels/result.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// @param value     the name of a file in `data_dir`/devices, a path, or the map itself: name, provenance,
///                  precision (fp32 or tf32), peak, memory_bandwidth, and if known compute_efficiency and
///                  memory_efficiency (each share and source) and launch
/// @param data_dir  the folder `scenarios`
/// @returns the device, or an Error with the place, the key and what is accepted
netmodels::Result<netmodels::Device> load_device(const Value& value, const std::filesystem::path& data_dir);

/// Names that `load_device` accepts, sorted.
std::vector<std::string> list_devices(const std::filesystem::path& data_dir);

}  // namespace sim::scenario
