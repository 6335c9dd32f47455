// The table of CUDA twins: compressors by their names in catalogue.hpp, and how one is made on the device.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "kernels/catalogue.hpp"
#include "kernels/device_compressor.hpp"

namespace kernels {

/// One row of the table. What the compressor does, its source, and whether it is meant to be used with a
/// residual memory stand in the row of `catalogue()` that has this name.
struct DeviceEntry {
  std::string_view name;
  /// @param settings  without `fault`; the same make both twins
  std::unique_ptr<DeviceCompressor> (*make)(const Settings& settings);
};

/// Every compressor that has a CUDA twin, in the order of `catalogue()`.
std::span<const DeviceEntry> device_catalogue();

/// @returns the row, or nullptr where no compressor of that name has a CUDA twin
const DeviceEntry* find_device(std::string_view name);

}  // namespace kernels
