// Our own records of trainings (CSV), as far as a law can be fitted to them.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/fits/statistical_run.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

/// Reads a record: lines `# key: value` (workers, batch and compression must be there, gains_of where gains
/// are), a header that names step, accuracy and what else was measured, then rows; empty cells were not
/// measured. Of the columns, step, accuracy, loss, test_loss, noise_scale, mean_squared_norm, gain_R and
/// gain_raw_R are read, and others passed over. The batch is workers * batch. The true gradient's |G|^2 is
/// mean_squared_norm / (1 + noise_scale / batch) where both were measured in a training without compression.
///
/// @param source  named in errors, as `source:line:column`
/// @returns an Error for a fact that is missing or none, a column that is missing, a row of another
///          width, a cell that is no number in its range, and steps that do not rise
netmodels::Result<TrainingRun> read_training(std::string_view text, const std::string& source);

}  // namespace calibrate::fits
