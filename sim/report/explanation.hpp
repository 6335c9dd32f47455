// The explanation of a step's time as text: each phase, its formulas with numbers, and its
// bound.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::report {

/// @param steps  one for each declared phase of the arm
std::string explanation(const scenario::Scenario& arm, const std::vector<engine::ExplainedStep>& steps);

}  // namespace sim::report
