// The one order of gradient values, by magnitude: how many a ratio keeps, and where a compressor cuts.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kernels {

// How many of n values a compression ratio keeps.

/// k = max(1, round(c n)), halves away from zero, never more than n; 0 of 0.
///
/// @param ratio     c, kept / original, in (0, 1]
/// @param elements  n, at least 0
///
/// The published implementations truncate instead, and some of them then keep nothing of a small layer.
inline std::int64_t kept(double ratio, std::int64_t elements) {
  if (elements == 0) return 0;
  return std::clamp<std::int64_t>(std::llround(ratio * static_cast<double>(elements)), 1, elements);
}

// The one order of gradient values: by magnitude, read from the bits, so that NaN has a place in it.

/// |v| as an integer: the bits of v without its sign. Integers order as magnitudes do, zero = 0 and denormals
/// included; infinity is above every finite value and NaN above infinity, so that a selection by
/// magnitude sends a NaN first and all receivers see it. All NaN are equal: their payloads differ by compiler
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

/// The lowest magnitude that is at least `threshold`, a number >= 0, found by a search in double precision,
/// made comparable with floats without letting the rounding push a value across it. NaN counts as 0 and takes
/// everything; beyond the largest float only infinity and NaN are left.
constexpr Magnitude at_least(double threshold) {
  if (!(threshold > 0)) return 0;
  const auto rounded = static_cast<float>(threshold);
  return magnitude(rounded) + (static_cast<double>(rounded) < threshold ? 1 : 0);  // magnitudes are dense
}

// Where a compressor cuts the order of magnitudes: its selection without a list of indices.

/// All values at or above `high` are sent, and `more` of those in [low, high): a run by ascending index. Or,
/// if `largest` is not 0, only this is known: the `largest` values of largest magnitude are sent, the lowest
/// indices of equals.
struct Cut {
  Magnitude low = 0;
  Magnitude high = 0;
  std::int64_t more = 0;
  std::int64_t largest = 0;

  /// All values from a magnitude on.
  static constexpr Cut from(Magnitude threshold) { return {threshold, threshold, 0, 0}; }
  static constexpr Cut of_largest(std::int64_t k) { return {0, 0, 0, k}; }
};

/// A threshold that nothing passes.
constexpr Magnitude above_all = std::numeric_limits<Magnitude>::max();

}  // namespace kernels
