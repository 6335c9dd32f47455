// How many epochs a training needs by its batch: Scavenger's statistical model.
#pragma once

#include <algorithm>

#include "policies/planning_policy.hpp"

namespace policies {

/// e = e* + theta noise, noise = a + b / sqrt(B), where noise is gamma / K, averaged over K. Both laws are
/// local: beyond the batches that were fitted the noise stays what it is at the nearest of them. (The fitted
/// e* may be below 0.)
///
/// Source: Tyagi & Sharma, "Scavenger: A Cloud Service for Optimizing Cost and Performance of ML Training",
///         CCGrid 2023, (6) and (7).
struct EfficiencyModel {
  double least_epochs = 0;      ///< e*
  double epochs_per_noise = 0;  ///< theta
  double noise_floor = 0;       ///< a
  double noise_slope = 0;       ///< b
  double smallest_batch = 1;    ///< of those fitted
  double largest_batch = 1;
  double fewest_epochs = 0;  ///< half of the fewest that were profiled: no prediction lies below

  /// Least squares: first noise over 1 / sqrt(B), then epochs over the noise of that line. Where no noise was
  /// measured, 1 / sqrt(B) stands for it. One batch alone gives a constant.
  /// @param seen        with at least one profile
  /// @param as_printed  noise in proportion to 1 / sqrt(B) as in (7): a = 0
  static EfficiencyModel fit(const PlanningObservation& seen, bool as_printed = false);

  [[nodiscard]] double noise(double batch) const;
  [[nodiscard]] double epochs(double batch) const {
    return std::max(fewest_epochs, least_epochs + epochs_per_noise * noise(batch));
  }
};

}  // namespace policies
