// Means over several seeds with their intervals, as a table.
#pragma once

#include <string>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// One row for each arm: time of a step, time of the run, accuracy and time to the target, each as a mean
/// with its 95 % interval; the time to the target as the median of the seeds that reach it, and how many do.
/// Empty where one seed was run.
std::string seeds_text(const SimulatedStudy& study);

/// That one seed of a real training cannot name a winner; empty where that is not so.
std::string one_seed_note(const SimulatedStudy& study);

}  // namespace sim::report
