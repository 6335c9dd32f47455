// The compression ratio of the first epochs, on its way from everything to what is wanted.
#pragma once

#include <cmath>

namespace policies {

/// How the ratio falls. With E epochs of warm-up and the wanted ratio c, at epoch e:
///
///   linear:       1 - (1 - c) e / E              changes with every step
///   exponential:  c^((floor(e) + 1) / (E + 1))   changes with every epoch
///
/// Source: linear: the released code of Tyagi & Swany, "Flexible Communication for Optimal Distributed
///         Learning over Unpredictable Networks", IEEE BigData 2023 (E = 5); exponential: Lin et al., "Deep
///         Gradient Compression", ICLR 2018 (E = 4 and c = 0.001: 25 %, 6.3 %, 1.6 %, 0.4 %, then 0.1 %).
struct RatioSchedule {
  enum class Shape { linear, exponential };

  Shape shape = Shape::linear;
  double epochs = 5;  ///< E, at least 0; 0: no warm-up

  [[nodiscard]] bool over(double epoch) const { return epoch >= epochs; }
  /// @param wanted  c, in (0, 1]
  /// @param epoch   e, in [0, E)
  /// @returns a ratio in [c, 1]
  [[nodiscard]] double at(double epoch, double wanted) const {
    if (shape == Shape::linear) return 1 - (1 - wanted) * epoch / epochs;
    return std::pow(wanted, (std::floor(epoch) + 1) / (epochs + 1));
  }
};

}  // namespace policies
