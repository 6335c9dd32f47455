// How long the gradient compressors take on this machine's processor, beside a plain copy.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "calibrate/measurements/kernel_time.hpp"
#include "kernels/catalogue.hpp"
#include "netmodels/quantity.hpp"

namespace calibrate::probes {

/// What a gradient's values look like; never zeros, which selections would get for nothing.
enum class GradientValues {
  bell_shaped,   ///< normal, as early in a training
  heavy_tailed,  ///< Student's t with two degrees of freedom: a few values far above the rest
};

std::string_view to_string(GradientValues values);

/// One compressor on one size.
struct KernelCase {
  const kernels::Entry* compressor = nullptr;
  std::int64_t elements = 0;  ///< n, fp32 values, at least 1
  double ratio = 1;           ///< c, kept / original; 1 where the compressor has none
};

/// Every combination; a compressor without a ratio stands once per size.
std::vector<KernelCase> kernel_cases(std::span<const kernels::Entry* const> compressors,
                                     std::span<const std::int64_t> elements, std::span<const double> ratios);

/// How long and how often to measure.
struct KernelEffort {
  GradientValues values = GradientValues::bell_shaped;
  int least_repetitions = 5;  ///< whatever the time
  int most_repetitions = 200;
  netmodels::Seconds time = {0.5};  ///< of one case, warm-up not counted
};

/// Measures each case on one thread: three steps to warm up, then steps and copies in turn. `threshold` is
/// told the magnitude that k values of the gradient reach.
/// @param said  is told before each case; may be empty
/// @throws std::runtime_error where a compressor's first message, and what it keeps of the gradient, are not
/// the
///         gradient
/// Leaves out: that a receiver of an all-gather restores N messages and not one; GPUs; several threads; what
/// else runs on the machine (compare `least` with `median`).
std::vector<measurements::KernelTime> measure_kernels(std::span<const KernelCase> cases,
                                                      const KernelEffort& effort,
                                                      const std::function<void(const KernelCase&)>& said);

}  // namespace calibrate::probes
