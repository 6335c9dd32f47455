// Delta(g): the relative change of a worker's smoothed gradient norm.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "policies/moving_average.hpp"

namespace policies {

/// Steps that the average of a norm spans where nothing is stated.
/// Source: Tyagi & Swany, "Accelerating Distributed ML Training via Selective Synchronization", IEEE CLUSTER
///         2023, section III.
inline constexpr std::size_t usual_change_window = 25;

/// One worker's Delta, step after step:
///
///   E_i = E_(i-1) + s (||g_i||^2 - E_(i-1)),   Delta_i = (E_i - E_(i-1)) / E_(i-1)
///
/// with E over a window of steps (see LimitedMovingAverage).
/// Source: Tyagi & Swany, as above, equation (2).
class RelativeChange {
 public:
  /// @param window  at least 1
  explicit RelativeChange(std::size_t window) : average_(window) {}

  /// @param smoothing  s, in (0, 1], the same for all steps
  /// @returns Delta, infinite where the average rises from 0; nothing in the first step
  std::optional<double> add(double norm, double smoothing) {
    const auto before = average_.value();
    const double now = average_.add(norm, smoothing);
    if (!before) return std::nullopt;
    if (*before == 0) return now == 0 ? 0 : std::numeric_limits<double>::infinity();
    return (now - *before) / *before;
  }

 private:
  LimitedMovingAverage average_;
};

/// How a Delta of ||g||^2 is measured.
struct ChangeMeasure {
  std::size_t window = usual_change_window;  ///< steps, at least 1
  double smoothing = 0;                      ///< s, in (0, 1]

  bool operator==(const ChangeMeasure&) const = default;
};

/// The largest Delta of a step over its workers, as it was measured.
struct MeasuredChange {
  double largest = 0;  ///< largest relative change, at least -1
  ChangeMeasure measure;

  bool operator==(const MeasuredChange&) const = default;
};

}  // namespace policies
