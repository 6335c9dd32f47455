// How long the gradient compressors take on this machine's processor, beside a plain copy.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "calibrate/measurements/kernel_time.hpp"
#include "calibrate/probes/kernel_cases.hpp"
#include "calibrate/probes/kernel_samples.hpp"

namespace calibrate::probes {

/// Measures each case on one thread: three steps to warm up, then steps and copies in turn.
/// @param said  is told before each case; may be empty
/// @throws std::runtime_error where a compressor's first message, and what it keeps of the gradient, are not
///         the gradient
/// Leaves out: several threads; what else runs on the machine (compare `least` with `median`); of restoring,
/// which is timed within the step, that messages of other ranks are not in this processor's cache, and that
/// their values have places of their own.
std::vector<measurements::KernelTime> measure_kernels(std::span<const KernelCase> cases,
                                                      const KernelEffort& effort,
                                                      const std::function<void(const KernelCase&)>& said);

}  // namespace calibrate::probes
