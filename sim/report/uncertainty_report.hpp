// What samples of the uncertain inputs show: percentiles, how often an arm wins, and what would settle it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// Every figure that changes from sample to sample: of each arm as stated, and as median with the 5th and the
/// 95th percentile; then the inputs with their ranges, and what was not drawn. Empty where no samples were
/// run.
std::string uncertainty_text(const SimulatedStudy& study);

/// Of each whole run that is compared: in which share of the samples each arm has the least time per sample
/// of training, and the inputs by what knowing them is worth, with how they are measured. Where no samples
/// were run and quantities are stated with a range: that they were not drawn.
std::vector<std::string> uncertainty_verdicts(const SimulatedStudy& study);

/// Inputs, percentiles of every figure, shares of wins, values of information; null where no samples were
/// run.
nlohmann::ordered_json uncertainty_json(const SimulatedStudy& study);

}  // namespace sim::report
