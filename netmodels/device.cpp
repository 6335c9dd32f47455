// What no device can have.
#include "netmodels/device.hpp"

#include <cmath>

namespace netmodels {
namespace {

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

bool is_share(double value) { return value > 0 && value <= 1; }

}  // namespace

Result<Device> check(const Device& device) {
  if (!is_positive(device.peak.count))
    return refuse({}, "a device that does no FLOP per second", "a peak above 0");
  if (!is_positive(device.memory_bandwidth.count)) {
    return refuse({}, "a device that moves no bytes per second", "a memory bandwidth above 0");
  }
  if (!is_share(device.compute.share)) {
    return refuse({}, "compute efficiency " + std::to_string(device.compute.share),
                  "a share of the peak in (0, 1]");
  }
  if (!is_share(device.memory.share)) {
    return refuse({}, "memory efficiency " + std::to_string(device.memory.share),
                  "a share of the peak in (0, 1]");
  }
  if (!(std::isfinite(device.launch.count) && device.launch >= Seconds{})) {
    return refuse({}, "launch time " + std::to_string(device.launch.count) + " s", "0 or more");
  }
  return device;
}

}  // namespace netmodels
