// Meaning of a policy's compression gain: quotient of squared norms, or of norms.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "settings/fields.hpp"

namespace policies {

/// The papers define the gain by squared norms; the released codes of ScaDLES and of FlexComm divide norms.
enum class GainMeaning : std::uint8_t {
  squared,  ///< ||g_c||^2 / ||g_e||^2
  norm,     ///< ||g_c|| / ||g_e||
};

constexpr auto names_of(GainMeaning) {
  return std::to_array<settings::Named<GainMeaning>>(
      {{"squared_norms", GainMeaning::squared}, {"norms", GainMeaning::norm}});
}

/// The key for it.
void describe_gain_of(settings::Fields& fields, GainMeaning& meaning);

/// @param gain  of squared norms, at least 0
inline double converted_gain(double gain, GainMeaning meaning) {
  return meaning == GainMeaning::squared ? gain : std::sqrt(gain);
}

}  // namespace policies
