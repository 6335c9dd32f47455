// The figures of all arms side by side: one row for each arm and phase, and one for each whole run.
#pragma once

#include <span>
#include <string>
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

/// For people: one table for each phase with a row for each arm, then the whole runs. Columns that are zero
/// everywhere are left out, and so is the collective where the scenario names it.
std::string comparison_text(const PlayedStudy& study);

}  // namespace sim::output
