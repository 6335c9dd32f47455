// Whole trainings, as the statistical fit takes them, and how they are read off records.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "netmodels/result.hpp"

namespace calibrate::fits {

// A training that was measured: how good the model was after how many steps, at one batch.

/// The measurements at one step.
struct TrainingRow {
  double step = 0;                     ///< updates done, rising from row to row
  std::optional<double> metric;        ///< accuracy on the test set, in [0, 1]
  std::optional<double> noise_scale;   ///< tr(Sigma) / |G|^2, samples, above 0
  std::optional<double> squared_norm;  ///< |G|^2 of the true gradient, above 0
  std::optional<double> loss;          ///< loss of the step's batches, nats
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
  std::string method = "none";    ///< compression method
  double ratio = 1;               ///< kept / original, in (0, 1]
  bool error_feedback = true;     ///< error feedback of the compression
  std::vector<TrainingRow> rows;  ///< steps rising
  std::vector<MeasuredGain> gains{};
  std::vector<std::pair<std::string, std::string>> facts{};  ///< provenance as in the file

  /// Not so for `none`, and for a ratio of 1 of a method that leaves values out and changes none.
  [[nodiscard]] bool is_compressed() const;
};

/// Rule of the step that counts as the one that reached the target.
enum class StepsTo {
  smoothed,  ///< step at which the monotone regression of the metric crosses it, linear between evaluations
  first,     ///< the first evaluation at or above it, lucky ones included
};

std::string_view to_string(StepsTo steps_to);

/// @param target  of the metric
/// @returns the steps to the target; nothing where the run does not reach it
std::optional<double> steps_to_target(const TrainingRun& run, double target, StepsTo steps_to);

// Our own records of trainings (CSV), as far as a model can be fitted to them.

/// Reads a record: lines `# key: value` (workers, batch and compression must be there, gains_of where gains
/// are), a header that names step, accuracy and other measured quantities, then rows; empty cells were not
/// measured. Of the columns, step, accuracy, loss, test_loss, noise_scale, mean_squared_norm, gain_R and
/// gain_raw_R are read, and others passed over. The batch is workers * batch. The true gradient's |G|^2 is
/// mean_squared_norm / (1 + noise_scale / batch) where both were measured in a training without compression.
///
/// @param source  named in errors, as `source:line:column`
/// @returns an Error for a fact that is missing or none, a column that is missing, a row of another
///          width, a cell that is not a number in its range, and steps that do not rise
netmodels::Result<TrainingRun> read_training(std::string_view text, const std::string& source);

}  // namespace calibrate::fits
