// How a quantity goes with progress, 0 at the start of a training and 1 at its target, whatever the batch.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "calibrate/fits/statistical_batch.hpp"
#include "calibrate/fits/statistical_run.hpp"

namespace calibrate::fits {

/// A quantity at a progress.
struct ProgressPoint {
  double progress = 0;
  double value = 0;

  bool operator==(const ProgressPoint&) const = default;
};

using ProgressCurve = std::vector<ProgressPoint>;  ///< progress rising

/// What all runs together say of the way to the target.
struct ProgressFit {
  ProgressCurve accuracy;      ///< monotone regression over all rows, one point for each of its levels
  ProgressCurve noise_scale;   ///< geometric mean over the runs, samples, at steps of 1/40 up to 100 at most;
                               ///< empty where not measured
  ProgressCurve squared_norm;  ///< likewise
  ProgressCurve loss;          ///< mean over the runs
  ProgressCurve test_loss;
  std::optional<double> mean_noise_scale;  ///< from progress 0 to 1
  double accuracy_error = 0;               ///< mean |metric - accuracy| over all rows
};

/// Lays the runs over each other. A step over B samples makes the progress 1 / (S_min (1 + B_crit g / B)),
/// with g the noise scale at that progress over its mean from 0 to 1. Noise scale and progress need each
/// other and are found in turn, from g = 1 on, until they stay.
///
/// @param runs  without compression, each with rows
/// Leaves out: that smaller batches show a smaller noise scale at the same progress; the mean is over all
///         runs that were measured there.
ProgressFit fit_progress(std::span<const TrainingRun> runs, const BatchLimits& law);

}  // namespace calibrate::fits
