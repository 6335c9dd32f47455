// The verdict on a ledger, as text and as a page.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/ledger/decisions.hpp"
#include "calibrate/ledger/ledger_file.hpp"
#include "calibrate/ledger/prediction.hpp"
#include "calibrate/measurements/statistics.hpp"
#include "command_line/output_format.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

// Whether an entry meets its goal, and is not worse than recorded: its predictions, errors and decisions.

/// An evaluated entry.
struct Verdict {
  LedgerEntry entry;
  std::vector<Prediction> predictions;  ///< predictions within the entry's sizes; at least one
  measurements::RelativeErrors errors;
  double right_side = 0;  ///< share of the figures that are on the side of 1 that was predicted
  std::optional<Decisions> decisions{};  ///< decisions where the entry states `choices`
  std::vector<FigureCounts> counts{};    ///< counts by table; empty where every figure is predicted

  /// Whether every bound of the band is kept.
  /// @param band  bounds of decisions only where there are decisions
  [[nodiscard]] bool keeps(const Band& band) const;

  /// Whether the entry keeps the bounds that were recorded.
  [[nodiscard]] bool not_worse() const { return keeps(entry.band); }

  /// Whether the entry keeps the bounds of its goal; nothing without a goal.
  [[nodiscard]] std::optional<bool> meets_goal() const;

  /// Whether any figure was predicted by a fit that had seen it.
  [[nodiscard]] bool in_sample() const;
};

/// An entry that could not be evaluated because its measurements are missing.
struct Skipped {
  std::string name;
  std::size_t missing = 0;             ///< files
  std::string first;                   ///< path of the first of them
  int line = 1;                        ///< line of the entry in the ledger
  const Question* question = nullptr;  ///< as the entry has it
};

/// An evaluated ledger.
struct Outcome {
  std::vector<Verdict> verdicts;
  std::vector<Skipped> skipped;

  [[nodiscard]] std::size_t not_worse() const;  ///< entries that are not worse than recorded
  [[nodiscard]] std::size_t goals() const;      ///< entries with a goal
  [[nodiscard]] std::size_t goals_met() const;  ///< entries with a goal that meet it
};

/// Predicts by the entry's rule and takes the errors of the figures within the entry's sizes, and the
/// decisions among them where the entry has `choices`.
/// @returns the rule's Error, or one with an empty `where` where no figure lies within the sizes, or none
/// compete
netmodels::Result<Verdict> judge(const LedgerEntry& entry, const Evidence& evidence);

/// Errors of some predictions. @param predictions  at least one
measurements::RelativeErrors errors_of(std::span<const Prediction> predictions);

/// Every time of the ledger once, however many entries hold it.
std::vector<Prediction> distinct_times(const Outcome& outcome);

// An evaluated ledger as a document: for people, as rows, as JSON, and as the page of accuracy.

/// The output of `calibrate validate`. The text has one line per entry, the skipped entries, and the overall
/// line; the rows are the figures; the JSON has `entries` (each with its goal, its errors in %, what was
/// recorded, its decisions and its figures), `skipped` and `overall`; the page also has the input of each
/// rule and the errors of each table.
/// @param outcome  must outlive the document
/// @param last     an earlier page; see print_page
command_line::Document outcome_document(const Outcome& outcome, std::string last = {});

// The page of accuracy: goals met and missed, predictions, their input and errors.

/// Markdown: a row and a section for each question; then, for each question, a table of its entries, and each
/// entry with its rule, note, recorded bounds and the errors of its tables. A line `<!-- page: PATH -->`
/// begins the part of each question, which tests/ledger/write_page.sh writes into a file of its own. Entries
/// without a question follow the first table. Lines have at most 200 letters where names of entries and
/// tables allow.
/// @param last  an earlier page with the same columns, whose figures of skipped entries are kept and marked
/// as
///              "not run here"; of one with other columns only the sections are kept; empty: skipped entries
///              are only listed
std::string print_page(const Outcome& outcome, std::string_view last = {});

/// The first part of print_page: a row for each question between marks that README.md has as well, and a
/// section with its three largest errors and the goals that are missed; empty where no entry has a question.
std::string print_questions(const Outcome& outcome);

/// `skipped: NAME (N files are not there, the first FILE)`, a line each.
std::string print_skipped(const Outcome& outcome);

/// One line: how many goals are met, how many entries are not worse than recorded, and the errors of all
/// times together.
std::string print_overall(const Outcome& outcome);

}  // namespace calibrate::ledger
