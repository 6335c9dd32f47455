// The law of a training's statistics, fitted to whole trainings at several batches and compressions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/fits/statistical_batch.hpp"
#include "calibrate/fits/statistical_progress.hpp"
#include "calibrate/fits/statistical_run.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

/// What a compression costs or leaves: a gain, or a slowdown.
struct MethodPoint {
  std::string method;
  bool error_feedback = true;
  double ratio = 0.1;  ///< kept / original, in (0, 1)
  double value = 0;    ///< mean over the trainings that measured it
  int trainings = 0;

  bool operator==(const MethodPoint&) const = default;
};

/// Everything that was fitted.
struct StatisticalFit {
  double target = 1;  ///< of the metric, in (0, 1]
  StepsTo steps_to = StepsTo::smoothed;
  BatchFit batches;
  ProgressFit progress;
  std::vector<MethodPoint> gains;      ///< by method, with error feedback first, ratios rising
  std::vector<MethodPoint> slowdowns;  ///< steps to the target / S(B), in the same order
};

/// Fits S(B) and what goes with progress to the trainings without compression, gains to all, and slowdowns to
/// those with one: the steps they took over the mean of the steps without compression at the same batch,
/// where it was measured, or else S(B).
///
/// @param runs    each with rows
/// @param target  in (0, 1]
/// @returns an Error that names the file of a training that did not reach the target, with the best it
///          reached; or without a place as `fit_batches`
netmodels::Result<StatisticalFit> fit_statistical(std::span<const TrainingRun> runs, double target,
                                                  StepsTo steps_to);

}  // namespace calibrate::fits
