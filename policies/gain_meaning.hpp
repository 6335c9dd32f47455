// Which quotient a policy calls the compression gain: that of squared norms, or that of norms.
#pragma once

#include <cmath>

namespace policies {

/// The papers define the gain by squared norms; the released codes of ScaDLES and of FlexComm divide norms.
enum class GainMeaning {
  squared,  ///< ||g_c||^2 / ||g_e||^2
  norm,     ///< ||g_c|| / ||g_e||
};

/// @param gain  of squared norms, at least 0
inline double meant(double gain, GainMeaning meaning) {
  return meaning == GainMeaning::squared ? gain : std::sqrt(gain);
}

}  // namespace policies
