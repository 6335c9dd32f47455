// How long the gradient compressors' CUDA twins take on a device, beside a copy in its memory.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/measurements/kernel_time.hpp"
#include "calibrate/probes/kernel_cases.hpp"
#include "calibrate/probes/kernel_samples.hpp"
#include "kernels/device.hpp"

namespace calibrate::probes {

/// One line for the provenance of a measurement: what the device is made of and which CUDA it is used by.
std::string describe(const kernels::DeviceFacts& facts);

/// As `measure_kernels`, with gradient, residual, sum and messages in the device's memory: times of the
/// device, of steps and copies that find nothing in its L2 cache (see ColdTimer).
/// @param cases  of compressors that have a CUDA twin, on a machine that has a device
/// @throws std::runtime_error as `measure_kernels`; kernels::DeviceError, for one where the memory is too
///         small
/// Restoring is timed once more by itself, message and sum as cold: a message among many finds some of the
/// sum in the cache, so that it takes at most as long. Leaves out: what moves gradients and messages between
/// host and device; what else runs there.
std::vector<measurements::KernelTime> measure_device_kernels(
    std::span<const KernelCase> cases, const KernelEffort& effort,
    const std::function<void(const KernelCase&)>& said);

}  // namespace calibrate::probes
