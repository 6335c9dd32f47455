// The compression ratio of the first epochs, on its way from everything to what is wanted.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "settings/fields.hpp"

namespace policies {

/// How a ratio falls: in each step, or from epoch to epoch.
enum class RatioShape : std::uint8_t { linear, exponential };

constexpr auto names_of(RatioShape) {
  return std::to_array<settings::Named<RatioShape>>(
      {{"linear", RatioShape::linear}, {"exponential", RatioShape::exponential}});
}

/// How the ratio falls. With E epochs of warm-up and the wanted ratio c, at epoch e:
///
///   linear:       1 - (1 - c) e / E              changes with every step
///   exponential:  c^((floor(e) + 1) / (E + 1))   changes with every epoch
///
/// Source: linear: the released code of Tyagi & Swany, "Flexible Communication for Optimal Distributed
///         Learning over Unpredictable Networks", IEEE BigData 2023 (E = 5); exponential: Lin et al., "Deep
///         Gradient Compression", ICLR 2018 (E = 4 and c = 0.001: 25 %, 6.3 %, 1.6 %, 0.4 %, then 0.1 %).
struct RatioSchedule {
  double epochs = 0;  ///< E, at least 0; 0: no warm-up
  RatioShape shape = RatioShape::exponential;

  bool operator==(const RatioSchedule&) const = default;

  [[nodiscard]] bool over(double epoch) const { return epoch >= epochs; }
  /// @param wanted  c, in (0, 1]
  /// @param epoch   e, in [0, E)
  /// @returns a ratio in [c, 1]
  [[nodiscard]] double at(double epoch, double wanted) const {
    if (shape == RatioShape::linear) return 1 - (1 - wanted) * epoch / epochs;
    return std::pow(wanted, (std::floor(epoch) + 1) / (epochs + 1));
  }
};

void describe(settings::Fields& fields, RatioSchedule& schedule);

}  // namespace policies
