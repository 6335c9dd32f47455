// GaussianK's correction of its first threshold as questions and answers: both implementations ask the same.
#pragma once

#include <cstdint>

#include "kernels/cut.hpp"

namespace kernels {

/// Begins at a quantile of the normal distribution; halves, raises by half or goes to the middle of two until
/// 2k/3 to 4k/3 values pass. When the rounds are over it asks once more, to know whether any pass. For "more
/// than 4k/3" any number above will do.
struct GaussianKSearch {
  double threshold = 0;
  std::int64_t k = 0;
  int rounds_left = 0;
  double too_low = 0, too_high = 0;  ///< the last thresholds that too many and too few passed
  bool raised = false, lowered = false;
  bool over = false;
  std::int64_t passing_it = 0;  ///< when over

  [[nodiscard]] constexpr bool done() const { return over; }
  [[nodiscard]] constexpr Magnitude asked() const { return at_least(threshold); }

  constexpr void hear(std::int64_t passing) {
    over = rounds_left == 0 || (3 * passing >= 2 * k && 3 * passing <= 4 * k);
    passing_it = passing;
    if (over) return;
    --rounds_left;
    const bool few = passing < k;
    (few ? too_high : too_low) = threshold;
    (few ? lowered : raised) = true;
    if (raised && lowered) {
      threshold = (too_low + too_high) / 2;
    } else {
      threshold *= few ? 0.5 : 1.5;
    }
  }

  /// What passes, or the largest value where none does.
  [[nodiscard]] constexpr Cut cut() const { return passing_it > 0 ? Cut::from(asked()) : Cut::of_largest(1); }
};

}  // namespace kernels
