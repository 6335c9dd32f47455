// The report on a run, made of what `sim run --out` leaves in a folder, and the series that it draws.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <span>
#include <string>
#include <vector>

#include "command_line/table.hpp"
#include "netmodels/result.hpp"
#include "sim/report/page.hpp"
#include "sim/report/run_summary.hpp"

namespace sim::report {

// The report on a run, made of what `sim run --out` leaves in a folder.

/// The texts of a run's folder.
struct RunTexts {
  std::string summary;            ///< summary.json
  std::string resolved_scenario;  ///< scenario.resolved.yaml
  std::istream& steps;            ///< steps.csv
  std::string folder;             ///< for messages
};

/// Question, answer, arms, parts of a step, accuracy, compression, collectives, network and buffers over
/// time, published figures. Parts that a run does not have are left out.
/// @returns an Error with its place for files that `sim run --out` did not write
netmodels::Result<Page> run_page(const RunTexts& run);

/// Reads them from a folder.
/// @returns an Error also for a file that is not there
netmodels::Result<Page> run_page(const std::filesystem::path& folder);

// The steps of a run as series that a chart can hold: a long run thinned to some hundred places per arm.

/// A summary of steps.csv.
struct StepSeries {
  /// By arm, then by step: `arm`, `start_s`, `epoch`, `step`, then the columns in which there is something to
  /// see, from the step's own time to its network. Where several steps share a row, a column holds their mean
  /// (of a text: the most frequent one) and KEY_least and KEY_most hold its ends.
  command_line::Table table;
  std::int64_t steps = 0;          ///< lines that were read
  std::int64_t most_in_a_row = 1;  ///< steps that share one row, at most

  [[nodiscard]] bool has(std::string_view key) const;
};

/// Reads line by line, in memory that does not grow with the file.
/// @param csv     as `StepsCsv` writes it
/// @param source  for messages: the file's name
/// @param rows    per arm, so many to twice as many
/// @returns an Error with its place for a column that the header lacks, a row of another width, and what is
/// no
///          number
netmodels::Result<StepSeries> read_step_series(std::istream& csv, const std::string& source,
                                               std::size_t rows);

// Which share of its steps each arm spent with what: the densities of ratios, collectives and compressors.

/// Whether some arm used more than one.
template <class T>
bool has_several(const std::vector<Uses<T>>& arms) {
  return std::ranges::any_of(arms, [](const Uses<T>& uses) { return uses.steps.size() > 1; });
}

/// One row for each arm; one column of shares for each name, in the order of the names.
command_line::Table use_shares(std::span<const Uses<std::string>> arms);

/// Likewise by compression ratio, rising. More than ten different ones are grouped between 1, 2 and 5
/// times powers of ten, each range with its lower end.
command_line::Table ratio_shares(std::span<const Uses<double>> arms);

}  // namespace sim::report
