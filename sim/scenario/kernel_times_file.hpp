// Measured costs of gradient compressors, from the file that `calibrate fit kernels` writes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "netmodels/kernel_cost.hpp"
#include "netmodels/result.hpp"

namespace sim::scenario {

/// What such a file says.
struct KernelCosts {
  std::string device;  ///< that was measured
  std::vector<netmodels::MeasuredKernel> rows;

  bool operator==(const KernelCosts&) const = default;
};

/// @returns at least one row, or an Error with its place for a file that is no file of kernel costs,
///          what is out of range, and a method whose sizes stand twice
netmodels::Result<KernelCosts> read_kernel_costs(const std::filesystem::path& path);

}  // namespace sim::scenario
