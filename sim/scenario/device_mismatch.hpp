// Compute times of another device than the cluster has: a fact that a headline depends on.
#pragma once

#include <optional>
#include <string>

namespace sim::scenario {

struct Scenario;

/// Names of two devices that compute differently.
struct DeviceMismatch {
  std::string timed;    ///< that the compute times were measured or published on
  std::string cluster;  ///< that `cluster.device` names

  bool operator==(const DeviceMismatch&) const = default;
};

/// Times that are computed from a description, and rooflines, are those of the cluster's device; measured and
/// published ones keep theirs.
/// @returns nothing where the devices compute alike, or one of them is not stated or has no file
std::optional<DeviceMismatch> device_mismatch(const Scenario& scenario);

}  // namespace sim::scenario
