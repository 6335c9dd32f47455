// What is measured of the gradient compressors: which one on how many values of which kind.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/catalogue.hpp"

namespace calibrate::probes {

/// What a gradient's values look like; never zeros, which selections would get for nothing.
enum class GradientValues {
  bell_shaped,   ///< normal, as early in a training
  heavy_tailed,  ///< Student's t with two degrees of freedom: a few values far above the rest
};

std::string_view to_string(GradientValues values);

/// The same values in every run.
/// @param elements  n, at least 0
std::vector<float> made_up_gradient(std::int64_t elements, GradientValues values);

/// One compressor on one size.
struct KernelCase {
  const kernels::Entry* compressor = nullptr;
  std::int64_t elements = 0;  ///< n, fp32 values, at least 1
  double ratio = 1;           ///< c, kept / original; 1 where the compressor has none
};

/// Every combination; a compressor without a ratio stands once per size.
std::vector<KernelCase> kernel_cases(std::span<const kernels::Entry* const> compressors,
                                     std::span<const std::int64_t> elements, std::span<const double> ratios);

/// Sizes of 48 layers that are n together, rising as 1, 3, 5, ... as a convolutional network's do.
std::vector<std::int64_t> made_up_layers(std::int64_t elements);

/// What the compressor of a case is told: layer-wise top-k of `made_up_layers`. `threshold` is told the
/// magnitude that k values of the gradient reach.
kernels::Settings settings_of(const KernelCase& of, std::span<const float> gradient);

}  // namespace calibrate::probes
