// In which order an advice shows configurations, and one sentence of reason for each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/advise/advice.hpp"

namespace sim::advise {

/// Indices of the grid: the advice first, then the others by what the objective looks at (for the knee the
/// product of time and cost); what does not keep the limits stands last.
std::vector<std::size_t> ranked(const Advised& advised);

/// Why the configuration is the advice, or is not, by the planner's predictions.
std::string reason(const Advised& advised, std::size_t index);

/// "rent 12 workers with a batch of 1024 samples: about 5.9 h and 9.5 USD".
std::string advice_sentence(const Advised& advised);

}  // namespace sim::advise
