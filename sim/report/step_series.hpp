// The steps of a run as series that a chart can hold: a long run thinned to some hundred places per arm.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "command_line/table.hpp"
#include "netmodels/result.hpp"

namespace sim::report {

/// What steps.csv holds, made short.
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

}  // namespace sim::report
