// Sentences on which arms several seeds tell apart.
#pragma once

#include <string>
#include <vector>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// From 5 seeds on the tiers of arms: better arms are named only where all pairs of a question, corrected by
/// Holm's step-down, show them at 5 %; then the best arm against the next and against the first of the file,
/// with the 95 % interval of the difference and how many seeds would show one of 5 %. With fewer seeds these
/// differences alone, and that there is no verdict. First the times to the target, then the accuracy, or
/// without a learner the time per sample. With axes, arms are compared that differ along one axis only, as
/// `comparisons` takes it; more than 12 such groups are counted. That seeds agree where they do; else empty
/// where one seed was run.
std::vector<std::string> seed_verdicts(const SimulatedStudy& study);

}  // namespace sim::report
