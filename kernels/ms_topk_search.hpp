// MSTopk's bisection as questions and answers: both implementations ask the same.
#pragma once

#include <cstdint>

#include "kernels/cut.hpp"

namespace kernels {

/// Asks how many values pass a threshold, again and again: thr(x) = mean|v| + x (max|v| - mean|v|), x halving
/// [0, 1]. For "more than k" any number above k will do.
struct MsTopKSearch {
  double mean = 0, largest = 0;  ///< of the finite magnitudes
  std::int64_t k = 0;
  int rounds_left = 0;
  double left = 0, right = 1;
  Magnitude low = 0;           ///< passed by more than k, or by all
  Magnitude high = above_all;  ///< passed by `sure` values, at most k
  std::int64_t sure = 0;

  [[nodiscard]] constexpr bool done() const { return rounds_left == 0 || sure == k; }
  [[nodiscard]] constexpr Magnitude asked() const {
    return at_least(mean + (left + right) / 2 * (largest - mean));
  }

  constexpr void hear(std::int64_t passing) {
    const bool few = passing <= k;
    (few ? high : low) = asked();
    if (few) sure = passing;
    (few ? right : left) = (left + right) / 2;
    --rounds_left;
  }

  [[nodiscard]] constexpr Cut cut() const {
    return sure == k ? Cut::from(high) : Cut{low, high, k - sure, 0};
  }
};

}  // namespace kernels
