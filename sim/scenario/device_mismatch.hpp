// Compute times of another device than the cluster has: a fact that a headline depends on.
#pragma once

#include <optional>
#include <string>

#include "netmodels/roofline.hpp"
#include "sim/inputs/device_file.hpp"

namespace sim::scenario {

/// Names of two devices that compute differently.
struct DeviceMismatch {
  std::string timed;    ///< that the compute times were measured or published on
  std::string cluster;  ///< that `cluster.device` names

  bool operator==(const DeviceMismatch&) const = default;
};

/// Times that are computed from a description, and rooflines, are those of the cluster's device; measured and
/// published ones keep theirs.
/// @param timed  device of the compute times, where a file describes it
/// @param own    device that `cluster.device` names
/// @returns nothing where the devices compute alike, or one of them is not stated or has no file
std::optional<DeviceMismatch> device_mismatch(const std::optional<netmodels::Device>& timed,
                                              const std::optional<inputs::DeviceKeys>& own);

}  // namespace sim::scenario
