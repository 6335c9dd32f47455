// RedSync's bisection as questions and answers: both implementations ask the same.
#pragma once

#include <cstdint>

#include "kernels/cut.hpp"

namespace kernels {

/// First asks how many values pass the mean; then bisects between mean and largest, or between 0 and mean,
/// until k to 2k pass. For "more than 2k" any number above 2k will do.
struct RedSyncSearch {
  double mean = 0, largest = 0;  ///< of the finite magnitudes
  std::int64_t elements = 0, k = 0;
  int rounds_left = 0;
  bool begun = false, found = false;
  double low = 0, high = 0;
  Magnitude limit = 0;  ///< passed by `passing_it` values, at least k
  std::int64_t passing_it = 0;

  [[nodiscard]] constexpr bool done() const { return begun && (found || rounds_left == 0); }
  [[nodiscard]] constexpr Magnitude asked() const { return at_least(begun ? (low + high) / 2 : mean); }

  constexpr void hear(std::int64_t passing) {
    if (!begun) return begin(passing);
    --rounds_left;
    const double middle = (low + high) / 2;
    if (passing < k) {
      high = middle;
      return;
    }
    limit = asked();
    passing_it = passing;
    found = passing <= 2 * k;
    low = middle;
  }

  /// What passes the limit, or the k largest where too many do.
  [[nodiscard]] constexpr Cut cut() const {
    return passing_it <= 2 * k ? Cut::from(limit) : Cut::of_largest(k);
  }

 private:
  constexpr void begin(std::int64_t passing) {
    begun = true;
    const bool above_mean = passing >= k;
    low = above_mean ? mean : 0;
    high = above_mean ? largest : mean;
    limit = at_least(low);
    passing_it = above_mean ? passing : elements;
  }
};

}  // namespace kernels
