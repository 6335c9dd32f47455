// The distance between two levels of a code.
#pragma once

#include "kernels/magnitude.hpp"

namespace kernels {

/// scale / levels, rounded down where the quotient is rounded up so far that `levels` steps of it would
/// exceed the largest float: a finite scale has finite levels only. NaN stays NaN.
///
/// @param scale   the value of the highest level, at least 0
/// @param levels  in [1, 127]
constexpr float level_step(float scale, float levels) {
  const float step = scale / levels;
  const bool overflows = is_finite(scale) && !is_finite(step * levels);
  return overflows ? absolute(magnitude(step) - 1) : step;
}

}  // namespace kernels
