// Recorded statistics of a training, as CSV: the input of a replay.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learning/learners/learner.hpp"
#include "learning/learners/record_curve.hpp"
#include "learning/learners/record_lines.hpp"
#include "netmodels/result.hpp"
#include "policies/relative_change.hpp"

namespace learning::learners {

/// The training, and the gradients that workers exchanged in every recorded step.
struct RecordFacts {
  std::string model;
  std::string data_set;
  std::int64_t data_set_samples = 1;  ///< samples of the training set: an epoch
  int workers = 1;
  int batch = 1;            ///< samples of each worker and step
  Compression compression;  ///< compression of the recorded training
  std::string source;       ///< person who measured it, or its publication
  std::string licence;
  std::vector<Fact> others;  ///< optimizer, learning_rate, machine, date, ...

  bool operator==(const RecordFacts&) const = default;
};

/// The gain ||g_c||^2 / ||g_e||^2 that one ratio had in the recorded steps.
struct RecordedGain {
  double ratio = 0.1;          ///< kept / original, in (0, 1)
  bool error_feedback = true;  ///< measured on the gradient plus the residual
  Curve by_step;

  bool operator==(const RecordedGain&) const = default;
};

/// Statistics by step. A curve's `at` is the number of the step, from 1; step 0 is the state before the
/// first. Gradient statistics are of the gradients that the step began with; accuracy and losses on the test
/// set are of the parameters after the step's update. Quantities not measured have no knots.
struct Record {
  RecordFacts facts;
  std::string gains_of;  ///< method whose gains were measured, as `table_name` writes it, or several with
                         ///< the same gains, `topk, ar_topk`; may be empty
  Curve samples;         ///< samples of all workers until the end of the step
  Curve learning_rate;
  Curve loss;                        ///< loss of the step's batches, nats
  Curve test_loss;                   ///< mean cross-entropy on the test set, nats
  Curve accuracy;                    ///< share of the test set, in [0, 1]
  Curve mean_squared_norm;           ///< ||mean of the messages||^2
  Curve noise_scale;                 ///< tr(Sigma) / |G|^2, samples
  Curve relative_change;             ///< the largest Delta(g) of a worker, as `change_measure` says
  Curve squared_norm;                ///< mean of ||g_w||^2 over the workers
  std::vector<Curve> squared_norms;  ///< ||g_w||^2 of each worker
  std::vector<RecordedGain> gains;   ///< ratios rising, with error feedback first
  /// How `relative_change` was measured; nothing where it was not.
  std::optional<policies::ChangeMeasure> change_measure = {};

  bool operator==(const Record&) const = default;
};

/// Reads a record. Lines `# key: value` precede the table: model, data_set, data_set_samples, workers,
/// batch, compression (as `parse_compression` reads it), source and licence must be there, gains_of where
/// gains are; others are kept. The header names, in any order: step, and the measured quantities of samples,
/// learning_rate, loss, test_loss, accuracy, mean_squared_norm, noise_scale; relative_change (at least -1,
/// with the facts relative_change_window and relative_change_smoothing); squared_norm (mean over the workers)
/// or squared_norm_0 to squared_norm_N-1; gain_R with error feedback and gain_raw_R without for ratios R in
/// (0, 1). Steps rise; an empty cell was not measured.
///
/// @param source  named in errors, as `source:line:column`
/// @returns an Error for a fact that is missing or none; a column that is unknown, doubled or missing
///          (step, and either form of the squared norms); a row of another width; a cell that is no
///          number in its range; steps that do not rise; and squared norms that were measured in no step
netmodels::Result<Record> parse_record(std::string_view text, const std::string& source);

/// `parse_record` of a file. Also returns the errors of `read_whole`.
netmodels::Result<Record> read_record(const std::filesystem::path& path);

/// The text that `parse_record` reads back as the same record, bit by bit.
std::string print_record(const Record& record);

// The columns of a record: how a name becomes a curve, and in which order they are written.

/// One column of a table and the curve it fills.
struct RecordColumn {
  std::string name;
  double least = 0;        ///< smallest value that a cell may have
  double most = 0;         ///< largest value
  Curve* curve = nullptr;  ///< curve within the record; nothing for `step`
};

/// Allocates the record's columns that a header names.
/// @param record  without gains and squared norms; must not be copied or moved while the columns are in use
/// @returns the columns in the order of the header, or an Error with its place
netmodels::Result<std::vector<RecordColumn>> read_columns(const RecordLines& header, Record& record);

/// The columns that have knots, `step` first.
std::vector<RecordColumn> columns_of(Record& record);

}  // namespace learning::learners
