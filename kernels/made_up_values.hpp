// Gradients made up for measurements: each value a function of its index, the same bits on every device.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "kernels/philox.hpp"

namespace kernels {

/// The distribution of a gradient's values; never zeros, which cost selections nothing.
enum class GradientValues : std::uint8_t {
  bell_shaped,  ///< as early in a training: the sum of eight uniform values, of deviation 10^-3; normal up to
                ///< about three deviations, and within +-4.9
  heavy_tailed,  ///< Student's t with two degrees of freedom, times 10^-4: a few values far above the rest
};

constexpr std::string_view to_string(GradientValues values) {
  return values == GradientValues::bell_shaped ? "bell_shaped" : "heavy_tailed";
}

/// Parts of a value, made by operations that every IEEE device rounds alike: numerator / sqrt(square) *
/// scale. The only sums in it are exact, so that contracting them changes nothing.
struct MadeUpParts {
  double numerator = 0;
  double square = 1;
  float scale = 1;
};

/// Bell-shaped value from four random words. Eight halves of words, each uniform below 2^16, have a sum of
/// mean 8 x 32767.5 and deviation 53509.9; bits below it, which only keep values apart, come from a product
/// of the words.
constexpr MadeUpParts bell_shaped_parts(const std::array<std::uint32_t, 4>& words) {
  constexpr std::int64_t largest_sum = 8 * 65535;
  constexpr double deviation = 2 * 53509.9 * 65536;
  constexpr std::uint32_t multiplier = 0x9e3779b9U;  // 2^32 over the golden ratio
  std::int64_t sum = 0;
  std::uint32_t fine = 0;
  for (const std::uint32_t word : words) {
    sum += (word & 0xffffU) + (word >> 16);
    fine = fine * multiplier + word;
  }
  const std::int64_t value = (2 * sum - largest_sum) * 65536 + (fine >> 16);
  return {static_cast<double>(value | 1), 1, static_cast<float>(1e-3 / deviation)};
}

/// Heavy-tailed value from one random word, by the inverse of the distribution function, t = (2 u - 1) /
/// sqrt(2 u (1 - u)).
/// Source: Shaw, "Sampling Student's T distribution - use of the inverse cumulative distribution function",
///         Journal of Computational Finance 9(4), 2006, for two degrees of freedom.
constexpr MadeUpParts heavy_tailed_parts(std::uint32_t word) {
  const double u = (word + 0.5) * 0x1p-32;
  return {2 * u - 1, 2 * u * (1 - u), 1e-4F};
}

/// @param index  of the value in its vector
constexpr MadeUpParts made_up_parts(GradientValues values, std::uint64_t index) {
  constexpr std::uint64_t seed = 7;
  const RandomStream stream{seed, static_cast<std::uint64_t>(values)};
  return values == GradientValues::bell_shaped ? bell_shaped_parts(stream.block(index))
                                               : heavy_tailed_parts(stream.word(index));
}

/// The value at an index, on the processor.
inline float made_up_value(GradientValues values, std::uint64_t index) {
  const MadeUpParts parts = made_up_parts(values, index);
  return static_cast<float>(parts.numerator / std::sqrt(parts.square)) * parts.scale;
}

}  // namespace kernels
