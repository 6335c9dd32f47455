// Statistics from one pass over a gradient: energy, mean and largest magnitude, number above a threshold.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/magnitude.hpp"

namespace kernels {

/// Sums are in double precision and in a fixed order (value i goes to lane i mod 16, the lanes are then added
/// pairwise), so that every build and every instruction set gives the same bits.
struct Statistics {
  double energy = 0;         ///< sum of v^2, NaN and infinity taking part
  double magnitude_sum = 0;  ///< sum of |v| over the finite values
  Magnitude largest = 0;     ///< largest finite |v|
  std::int64_t finite = 0;   ///< how many are finite

  /// Mean |v| of the finite values; 0 of none.
  [[nodiscard]] double mean() const { return finite == 0 ? 0 : magnitude_sum / static_cast<double>(finite); }
};

Statistics measure(std::span<const float> values);

/// Sum of v^2.
double energy(std::span<const float> values);

/// How many have |v| >= threshold in the order of magnitude.hpp.
std::int64_t count_at_least(std::span<const float> values, Magnitude threshold);

}  // namespace kernels
