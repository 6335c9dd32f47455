// Scavenger's two models of a job: how long a step takes, and how many epochs a training needs.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "policies/planning_policy.hpp"

namespace policies {

// How long a step takes by cluster size and batch: Scavenger's parallel model.

/// tau = compute + sync, compute affine in b = B / K, sync affine in K and B. The error of the model at
/// profiled configurations is carried to the others: along straight lines over the batch between profiles of
/// the same size, over the size between sizes with profiles, constant beyond them. Where two batches of one
/// size are profiled, steps of that size thus lie on the line through both.
///
/// Source: Tyagi & Sharma, "Scavenger: A Cloud Service for Optimizing Cost and Performance of ML Training",
///         CCGrid 2023, (8) to (10), fits from the extreme points. There sync is proportional to K only;
///         its Fig. 3 shows it growing with B twofold.
class ThroughputModel {
 public:
  /// Seconds, and seconds per unit.
  struct Coefficients {
    double constant = 0;
    double share = 0;    ///< per sample of one worker
    double workers = 0;  ///< per worker
    double batch = 0;    ///< per sample of all workers; 0 in the published formula
  };

  /// Least squares; compute and sync are fitted separately where all profiles have both. With fewer profiles
  /// than coefficients the dependence on K goes first, then that on B.
  /// @param seen        with at least one profile
  /// @param as_printed  sync affine in K only, nothing carried over
  static ThroughputModel fit(const PlanningObservation& seen, bool as_printed = false);

  [[nodiscard]] const Coefficients& coefficients() const { return coefficients_; }
  /// @returns at least a hundredth of the shortest step profiled, wherever the line leads
  [[nodiscard]] netmodels::Seconds step(const Configuration& configuration) const;

 private:
  /// Values over whole numbers, rising.
  using Line = std::vector<std::pair<int, double>>;
  struct Missed {
    int workers;
    Line by_batch;
  };

  [[nodiscard]] double law(const Configuration& configuration) const;
  [[nodiscard]] double carried(const Configuration& configuration) const;
  void keep_missed(const PlanningObservation& seen);

  Coefficients coefficients_;
  double least_ = 0;            ///< seconds
  std::vector<Missed> missed_;  ///< seconds, by size
};

// How many epochs a training needs by its batch: Scavenger's statistical model.

/// e = e* + theta noise, noise = a + b / sqrt(B), where noise is gamma / K, averaged over K. Both models are
/// local: beyond the fitted batches the noise stays that of the nearest of them. (The fitted
/// e* may be below 0.)
///
/// Source: Tyagi & Sharma, "Scavenger: A Cloud Service for Optimizing Cost and Performance of ML Training",
///         CCGrid 2023, (6) and (7).
struct EfficiencyModel {
  double least_epochs = 0;      ///< e*
  double epochs_per_noise = 0;  ///< theta
  double noise_floor = 0;       ///< a
  double noise_slope = 0;       ///< b
  double smallest_batch = 1;    ///< smallest of the fitted batches
  double largest_batch = 1;
  double fewest_epochs = 0;  ///< half of the fewest that were profiled: no prediction lies below

  /// Least squares: first noise over 1 / sqrt(B), then epochs over the noise of that line. Where no noise was
  /// measured, 1 / sqrt(B) replaces it. A single batch gives a constant.
  /// @param seen        with at least one profile
  /// @param as_printed  noise in proportion to 1 / sqrt(B) as in (7): a = 0
  static EfficiencyModel fit(const PlanningObservation& seen, bool as_printed = false);

  /// Fits the model that profiles of a few steps allow: epochs in proportion to the noise, e = theta noise as
  /// (6) has it, with theta from the first profile, whose epochs alone are used. All predicted times share
  /// that one factor.
  static EfficiencyModel fit_noise_alone(const PlanningObservation& seen, bool as_printed = false);

  [[nodiscard]] double noise(double batch) const;
  [[nodiscard]] double epochs(double batch) const {
    return std::max(fewest_epochs, least_epochs + epochs_per_noise * noise(batch));
  }
};

}  // namespace policies
