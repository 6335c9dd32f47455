// Warnings about a simulated study: those of its file, and those that only its results show.
#pragma once

#include <string>
#include <vector>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// Warnings that follow from the results, one sentence for each key: moments after the end of a run, and
/// stated keys that no run used.
std::vector<std::string> result_warnings(const SimulatedStudy& study);

/// Warnings of the file, then those of the results.
std::vector<std::string> all_warnings(const SimulatedStudy& study);

}  // namespace sim::report
