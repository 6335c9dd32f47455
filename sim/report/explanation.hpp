// The explanation of a step's time: each phase, its formulas with numbers, and its bound.
#pragma once

#include <string>
#include <vector>

#include "command_line/output_format.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::report {

/// @param steps  one for each declared phase of the arm
std::string explanation(const scenario::Scenario& arm, const std::vector<engine::ExplainedStep>& steps);

/// An arm and its explained steps, or why it has none.
struct ExplainedArm {
  const scenario::Scenario* arm = nullptr;  ///< outlives it
  std::vector<engine::ExplainedStep> steps;
  std::string why_not = {};  ///< empty where there are steps
};

/// As text, as a table of all exchanges, and as one object by arms and phases. The text has the parts of up
/// to eight steps, what their exchanges take and what bounds them.
/// @param file     the scenario, as it was named
/// @param details  the text has the formulas and times of each exchange of all steps, too, and origins
command_line::Document explanation_document(std::vector<ExplainedArm> arms, std::string file, bool details);

}  // namespace sim::report
