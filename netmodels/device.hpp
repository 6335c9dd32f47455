// A device that computes: its peaks, what share of them real kernels reach, and who says so.
#pragma once

#include <string>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace netmodels {

/// A share of a peak that real kernels reach, with its origin. Without one, times are lower bounds.
struct Efficiency {
  double share = 1;              ///< of the peak, in (0, 1]
  std::string source = "bound";  ///< who measured it on what; "bound": nobody, the peak itself is used
};

/// One accelerator.
struct Device {
  std::string name;
  std::string provenance;          ///< one line: whose figures these are
  std::string precision = "fp32";  ///< of the arithmetic that `peak` is for: fp32 or tf32
  FlopRate peak;                   ///< dense, above 0
  Bandwidth memory_bandwidth;      ///< of the device's own memory, above 0
  Efficiency compute;
  Efficiency memory;
  Seconds launch;  ///< fixed time per kernel that nothing hides; 0: none assumed

  [[nodiscard]] FlopRate sustained_compute() const { return peak * compute.share; }
  [[nodiscard]] Bandwidth sustained_memory() const { return memory_bandwidth * memory.share; }
};

/// Refuses peaks that are not above 0, shares outside (0, 1], and a negative launch time.
Result<Device> check(const Device& device);

}  // namespace netmodels
