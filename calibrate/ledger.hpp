// The ledger: which measurements are predicted by which fits, and how far off they may be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fit_file.hpp"
#include "calibrate/measurement.hpp"
#include "calibrate/statistics.hpp"
#include "netmodels/result.hpp"

namespace calibrate {

/// One row of the ledger as written.
struct LedgerRow {
  std::string measurements;  ///< path, relative to the ledger's folder
  std::string model;         ///< path of a file of fits, relative to the ledger's folder
  double tolerance = 0;      ///< bound of the mean error, a pure number
  int line = 0;
};

/// Reads a CSV with the columns measurements, model, tolerance_percent; `#` begins a comment.
/// @param source  named in errors
/// @returns at least one row, or an Error with its place
netmodels::Result<std::vector<LedgerRow>> parse_ledger(std::string_view text, std::string_view source);

/// A size, as measured and as the fit says.
struct Prediction {
  MeasuredPoint measured;
  netmodels::Seconds predicted;

  [[nodiscard]] double error() const { return predicted / measured.time - 1; }
};

/// A row, played.
struct Verdict {
  LedgerRow row;
  bool seen = false;  ///< the model was fitted to these very measurements: its error is no prediction's
  std::vector<Prediction> predictions;
  RelativeErrors errors;

  [[nodiscard]] bool holds() const { return errors.mean <= row.tolerance; }
};

/// Predicts each measured size by the fit of the same collective on as many ranks.
/// @returns an Error with an empty `where` where the model has no such fit
netmodels::Result<Verdict> judge(const LedgerRow& row, const Measurements& measured,
                                 const std::vector<FitRecord>& model);

/// Measured and predicted time of every size, the errors of every row, and whether its bound holds. As text.
std::string print_verdicts(const std::vector<Verdict>& verdicts);

/// One CSV line per size, behind one header line.
std::string print_predictions_csv(const std::vector<Verdict>& verdicts);

}  // namespace calibrate
