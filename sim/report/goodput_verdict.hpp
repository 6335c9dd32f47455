// Whether the fastest arm is the same over the range of the network's goodput.
#pragma once

#include <string>
#include <vector>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// One sentence for each comparison whose fastest arm at the lowest or the highest goodput of the fabric is
/// not the one at the usual goodput; one that counts them where there are many comparisons. Nothing where all
/// agree, or where an arm has no such steps.
std::vector<std::string> goodput_verdicts(const SimulatedStudy& study);

}  // namespace sim::report
