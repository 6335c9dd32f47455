// The figures of all arms side by side: one row for each arm and phase, and one for each whole run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/output/played_study.hpp"
#include "sim/output/sheet.hpp"

namespace sim::output {

/// What one row of the comparison is made of.
struct ComparisonRow {
  const PlayedStudy* study;
  const PlayedArm* arm;
  const engine::PhaseResult* phase;  ///< the whole run, or one of its phases
  bool whole;
};

/// The one list of columns from which table, CSV and JSON are printed.
std::span<const Column<ComparisonRow>> comparison_columns();

/// The rows of one arm: its phases, where there are several, then the whole run.
std::vector<ComparisonRow> rows_of(const PlayedStudy& study, const PlayedArm& arm);

/// All rows of all arms, every column.
Sheet comparison(const PlayedStudy& study);

/// Keys of the columns that a table for people leaves out: those that its notes say in words, and those in
/// which no row has anything to see.
std::vector<std::string_view> untold_columns(const Sheet& sheet);

/// For people: one table for each phase with a row for each arm, then the whole runs. Columns that are zero
/// everywhere are left out, and so is the collective where the scenario names it.
std::string comparison_text(const PlayedStudy& study);

}  // namespace sim::output
