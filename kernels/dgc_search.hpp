// DGC's lowering of a sampled threshold as questions and answers: both implementations ask the same.
#pragma once

#include <cstdint>

#include "kernels/cut.hpp"

namespace kernels {

/// Asks how many values pass the threshold, and lowers it while fewer than `fewest` do; in the end all pass.
/// For "more than `most`" any number above will do.
struct DgcSearch {
  Magnitude limit = 0;  ///< first that of the sample
  std::int64_t k = 0;
  double fewest = 0, most = 0;
  double factor = 1;  ///< that a threshold is lowered by
  int rounds_left = 0;
  bool enough = false;
  std::int64_t passing_it = 0;

  [[nodiscard]] constexpr bool done() const { return enough; }
  [[nodiscard]] constexpr Magnitude asked() const { return limit; }

  constexpr void hear(std::int64_t passing) {
    enough = static_cast<double>(passing) >= fewest || limit == 0;
    passing_it = passing;
    if (enough) return;
    const Magnitude finite = limit < infinite_magnitude ? limit : infinite_magnitude - 1;
    limit = rounds_left > 0 ? at_least(factor * static_cast<double>(absolute(finite))) : 0;
    --rounds_left;
  }

  /// What passes, or the k largest where too many do.
  [[nodiscard]] constexpr Cut cut() const {
    return static_cast<double>(passing_it) > most ? Cut::of_largest(k) : Cut::from(limit);
  }
};

}  // namespace kernels
