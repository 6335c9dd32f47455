// Where a compressor cuts the order of magnitudes: what it sends, said without a list of indices.
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/magnitude.hpp"

namespace kernels {

/// All values at or above `high` are sent, and `more` of those in [low, high): a run by ascending index. Or,
/// if `largest` is not 0, only this is known: the so many values of largest magnitude, the lowest indices of
/// equals.
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
