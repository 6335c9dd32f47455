// Arms that are not compared with others, and why.
#pragma once

#include <string>
#include <string_view>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// Why an arm is not compared with others, in a few words for tables: "hardly merges"; empty where it is.
std::string_view why_not_compared(const SimulatedArm& arm);

/// The same as a clause with the arm's figures, and what would help; empty where it is compared.
std::string figures_of_exclusion(const SimulatedArm& arm);

}  // namespace sim::report
