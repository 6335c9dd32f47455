// A training that was measured: how good the model was after how many steps, at one batch.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace calibrate::fits {

/// What was measured at one step.
struct TrainingRow {
  double step = 0;                     ///< updates done, rising from row to row
  std::optional<double> metric;        ///< accuracy on the test set, in [0, 1]
  std::optional<double> noise_scale;   ///< tr(Sigma) / |G|^2, samples, above 0
  std::optional<double> squared_norm;  ///< |G|^2 of the true gradient, above 0
  std::optional<double> loss;          ///< of the step's batches, nats
  std::optional<double> test_loss;     ///< nats
};

/// Gain of one compression, mean over the steps in which it was measured.
struct MeasuredGain {
  std::string method;
  double ratio = 0.1;  ///< kept / original, in (0, 1)
  bool error_feedback = true;
  double gain = 0;
};

/// One training with a batch that stays.
struct TrainingRun {
  std::string file;
  double batch = 1;               ///< samples of all workers and step
  std::string method = "none";    ///< of compression
  double ratio = 1;               ///< kept / original, in (0, 1]
  bool error_feedback = true;     ///< of the compression
  std::vector<TrainingRow> rows;  ///< steps rising
  std::vector<MeasuredGain> gains{};
  std::vector<std::pair<std::string, std::string>> facts{};  ///< provenance as in the file

  /// Not so for `none`, and for a ratio of 1 of a method that leaves values out and changes none.
  [[nodiscard]] bool is_compressed() const;
};

/// Which step counts as the one that reached the target.
enum class StepsTo {
  smoothed,  ///< where the monotone regression of the metric crosses it, linear between evaluations
  first,     ///< the first evaluation at or above it, lucky ones included
};

std::string_view to_string(StepsTo steps_to);

/// The rising sequence with the least sum of squares from the values: pools what falls into means.
/// @param values   at least one
/// @param weights  of the squares, above 0, one per value; none: all alike
/// Source: R. E. Barlow et al., "Statistical Inference under Order Restrictions", Wiley, 1972: pool
///         adjacent violators.
std::vector<double> monotone_regression(std::span<const double> values, std::span<const double> weights = {});

/// @param target  of the metric
/// @returns the steps to the target; nothing where the run does not reach it
std::optional<double> steps_to_target(const TrainingRun& run, double target, StepsTo steps_to);

}  // namespace calibrate::fits
