// The statistical model of a training: steps, accuracy and noise over progress, fitted, tested and written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fits/statistical_run.hpp"
#include "calibrate/measurements/statistics.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

// Steps to a target over the batch: S(B) = S_min (1 + B_crit / B), fitted to trainings at several batches.

/// A training without compression that reached the target.
struct BatchSteps {
  double batch = 1;  ///< samples of all workers, above 0
  double steps = 1;  ///< steps to the target, above 0
};

/// The two parameters.
struct BatchLimits {
  double least_steps = 1;     ///< S_min, above 0
  double critical_batch = 0;  ///< B_crit, samples, at least 0
};

/// One training and its prediction by the model.
struct BatchError {
  BatchSteps measured;
  double fitted = 0;               ///< steps
  std::optional<double> held_out;  ///< steps by the model of all other batches; where there are two others
};

/// The model and its errors against the measurements.
struct BatchFit {
  BatchLimits law;
  std::vector<BatchError> rows;  ///< batches rising
  measurements::RelativeErrors in_sample;
  std::optional<measurements::RelativeErrors>
      held_out;  ///< one batch left out at a time; where there are three
};

/// @returns S(B)
double steps_at(const BatchLimits& law, double batch);

/// Minimises the sum of squared relative errors (S(B) / measured - 1)^2 under S_min >= 0 and B_crit >= 0. The
/// error at the smallest and the largest batch, left out, is one of extrapolation.
///
/// @returns an Error without a place for fewer than two batches, and where the steps fall as 1 / B or
///          faster through all batches, so that no S_min shows
/// Source: S. McCandlish et al., arXiv:1812.06162, 2018, section 2.3.
netmodels::Result<BatchFit> fit_batches(std::vector<BatchSteps> measured);

// A quantity over progress, 0 at the start of a training and 1 at its target, for any batch.

/// A quantity at a progress.
struct ProgressPoint {
  double progress = 0;
  double value = 0;

  bool operator==(const ProgressPoint&) const = default;
};

using ProgressCurve = std::vector<ProgressPoint>;  ///< progress rising

/// The progress to the target, over all runs.
struct ProgressFit {
  ProgressCurve accuracy;      ///< monotone regression over all rows, one point for each of its levels
  ProgressCurve noise_scale;   ///< geometric mean over the runs, samples, at steps of 1/40 up to 100 at most;
                               ///< empty where not measured
  ProgressCurve squared_norm;  ///< likewise
  ProgressCurve loss;          ///< mean over the runs
  ProgressCurve test_loss;
  std::optional<double> mean_noise_scale;  ///< mean over progress 0 to 1
  double accuracy_error = 0;               ///< mean |metric - accuracy| over all rows
};

/// Maps all runs to one progress. A step over B samples makes the progress 1 / (S_min (1 + B_crit g / B)),
/// with g the noise scale at that progress over its mean from 0 to 1. Noise scale and progress need each
/// other and are found in turn, from g = 1 on, until they stay.
///
/// @param runs  without compression, each with rows
/// Leaves out: that smaller batches show a smaller noise scale at the same progress; the mean is over all
///         runs that were measured there.
ProgressFit fit_progress(std::span<const TrainingRun> runs, const BatchLimits& law);

// The model of a training's statistics, fitted to whole trainings at several batches and compressions.

/// The effect of a compression: a gain, or a slowdown.
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
  double target = 1;  ///< target of the metric, in (0, 1]
  StepsTo steps_to = StepsTo::smoothed;
  BatchFit batches;
  ProgressFit progress;
  std::vector<MethodPoint> gains;      ///< gains by method, with error feedback first, ratios rising
  std::vector<MethodPoint> slowdowns;  ///< steps to the target / S(B), in the same order
};

/// Fits S(B) and the curves over progress to the trainings without compression, gains to all, and slowdowns
/// to those with one: the steps they took over the mean of the steps without compression at the same batch,
/// where it was measured, or else S(B).
///
/// @param runs    each with rows
/// @param target  in (0, 1]
/// @returns an Error that names the file of a training that did not reach the target, with the best it
///          reached; or without a place as `fit_batches`
netmodels::Result<StatisticalFit> fit_statistical(std::span<const TrainingRun> runs, double target,
                                                  StepsTo steps_to);

// The file of a fitted model: provenance, then one table of figures and curves.

/// The training task and the source of the trainings. Text for people, on one line each.
struct LawFacts {
  std::string model{};
  std::string data_set{};
  std::int64_t data_set_samples = 1;  ///< samples of the training set
  std::string source{};
  std::string licence{};
};

/// The text: lines `# key: value`, then quantity,method,at,value. `at` is a progress (0 at the start, 1 at
/// the target), or the ratio of a gain or slowdown. Figures are written so that they read back
/// as the same numbers: curves rise as strictly as they do here.
/// @param version  of the program
std::string print_law(const StatisticalFit& fit, const LawFacts& facts, std::string_view version);

/// For people: measured and fitted steps of each batch, their errors in the sample and held out, and how far
/// the noise scale lies from B_crit.
std::string describe_fit(const StatisticalFit& fit);

}  // namespace calibrate::fits
