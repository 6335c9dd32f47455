// What was learned, for people: accuracy over simulated time, and who reaches the target first.
#pragma once

#include <string>
#include <vector>

#include "command_line/table.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// Accuracy of every arm that was tested, at equal simulated times: each cell is the arm's last test until
/// then, which stays when the arm has come to its end; empty before its first test.
/// @returns a table without rows where no arm was tested
command_line::Table accuracy_over_time(const SimulatedStudy& study);

/// That table under a title, and what follows from it; empty where no arm was tested.
std::string learning_text(const SimulatedStudy& study);

/// Who reaches the scenario's target, after how long, where it has one; and how accurate each arm is in the
/// end. Empty where no arm was tested.
std::vector<std::string> learning_verdicts(const SimulatedStudy& study);

}  // namespace sim::report
