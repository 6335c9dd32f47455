// The one order of gradient values: by magnitude, read from the bits, so that NaN has a place in it.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace kernels {

/// |v| as an integer: the bits of v without its sign. Integers order as magnitudes do, zero = 0 and denormals
/// included; infinity stands above every finite value and NaN above infinity, so that a selection by
/// magnitude sends a NaN first and everybody sees it. All NaN are equal: their payloads differ by compiler
/// and device. Never negative.
using Magnitude = std::int32_t;

constexpr Magnitude infinite_magnitude = 0x7f800000;
constexpr Magnitude nan_magnitude = infinite_magnitude + 1;

constexpr Magnitude magnitude(float value) {
  const Magnitude bits = std::bit_cast<std::int32_t>(value) & 0x7fffffff;
  return bits < nan_magnitude ? bits : nan_magnitude;  // std::min takes an address, which a device has not
}

/// The non-negative float that has this magnitude; `magnitude(absolute(m)) == m`.
constexpr float absolute(Magnitude size) { return std::bit_cast<float>(size); }

constexpr bool is_finite(float value) { return magnitude(value) < infinite_magnitude; }

/// The lowest magnitude that is at least `threshold`, a number >= 0: what a search in double precision found,
/// made comparable with floats without letting the rounding push a value across it. NaN counts as 0 and takes
/// everything; beyond the largest float only infinity and NaN are left.
constexpr Magnitude at_least(double threshold) {
  if (!(threshold > 0)) return 0;
  const auto rounded = static_cast<float>(threshold);
  return magnitude(rounded) + (static_cast<double>(rounded) < threshold ? 1 : 0);  // magnitudes are dense
}

}  // namespace kernels
