// The figures of all arms side by side: one row for each arm and phase, and one for each whole run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command_line/table.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// Every metric with a key; of each arm its phases, where there are several, then the whole run.
command_line::Table comparison_table(const SimulatedStudy& study);

/// Keys of the columns that a table for people leaves out: those that its notes say in words, and those in
/// which no row has anything to see.
std::vector<std::string_view> hidden_columns(const command_line::Table& table);

/// For people: one table for each phase with a row for each arm, then the whole runs. Columns that are zero
/// everywhere are left out, and so is the collective where the scenario names it.
std::string comparison_text(const SimulatedStudy& study);

}  // namespace sim::report
