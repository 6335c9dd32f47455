// SIDCo's last question: whether anything passes the threshold of its tails.
#pragma once

#include <cstdint>

#include "kernels/cut.hpp"

namespace kernels {

/// Asks once; where nothing passes, the largest value is sent.
struct SidcoSearch {
  double threshold = 0;  ///< eta of the stage reached
  bool over = false;
  std::int64_t passing_it = 0;  ///< when over

  [[nodiscard]] constexpr bool done() const { return over; }
  [[nodiscard]] constexpr Magnitude asked() const { return at_least(threshold); }

  constexpr void hear(std::int64_t passing) {
    over = true;
    passing_it = passing;
  }

  [[nodiscard]] constexpr Cut cut() const { return passing_it > 0 ? Cut::from(asked()) : Cut::of_largest(1); }
};

}  // namespace kernels
