// Whether an entry of the ledger holds: its predictions, their errors, and the band.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/ledger/ledger_file.hpp"
#include "calibrate/ledger/prediction.hpp"
#include "calibrate/measurements/statistics.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// An entry, played.
struct Verdict {
  LedgerEntry entry;
  std::vector<Prediction> predictions;  ///< within the entry's sizes; at least one
  measurements::RelativeErrors errors;
  double right_side = 0;  ///< share of the figures that are on the side of 1 that was predicted

  /// Whether every stated bound is kept.
  [[nodiscard]] bool holds() const;

  /// Whether any figure was predicted by a fit that had seen it.
  [[nodiscard]] bool in_sample() const;
};

/// An entry that could not be played, as its measurements are not there.
struct Skipped {
  std::string name;
  std::size_t missing = 0;  ///< files
  std::string first;        ///< path of the first of them
  int line = 1;             ///< of the entry in the ledger
};

/// A ledger, played.
struct Outcome {
  std::vector<Verdict> verdicts;
  std::vector<Skipped> skipped;

  [[nodiscard]] std::size_t held() const;
};

/// Predicts by the entry's rule and takes the errors of the figures within the entry's sizes.
/// @returns the rule's Error, or one with an empty `where` where no figure lies within the sizes
netmodels::Result<Verdict> judge(const LedgerEntry& entry, const Evidence& evidence);

/// Errors of some predictions. @param predictions  at least one
measurements::RelativeErrors errors_of(std::span<const Prediction> predictions);

/// Every time of the ledger once, however many entries it stands in.
std::vector<Prediction> distinct_times(const Outcome& outcome);

}  // namespace calibrate::ledger
