// How many of n values a compression ratio keeps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kernels {

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

}  // namespace kernels
