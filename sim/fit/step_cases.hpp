// What was measured, as runs of the simulator: a scenario for each figure, and its time.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/cluster_cache.hpp"
#include "sim/scenario/step_figures.hpp"
#include "sim/scenario/study.hpp"

namespace sim::fit {

/// A measured figure with the scenario that simulates it.
struct StepCase {
  scenario::StepFigure figure;
  std::string name;  ///< measured[0]
  std::string arm;
  scenario::Scenario scenario;
};

/// Leaves one worker of the arm, which exchanges nothing.
void leave_alone(scenario::Scenario& arm);

/// The scenario of each figure. A step is that of its arm; `alone` is the arm with a single worker and
/// without compression; an all-reduce is a gradient of that size and no computing, sent at once by the arm's
/// collective if that is an all-reduce, else by the cheapest one.
///
/// @param settings  `KEY=VALUE` of each `--set`; a figure's own number of workers wins
/// @returns the cases, or an Error: of the scenario, of an unknown arm, of an arm without a typical step
netmodels::Result<std::vector<StepCase>> step_cases(const scenario::StepFigures& figures,
                                                    std::span<const std::string> settings,
                                                    const std::filesystem::path& data_dir);

/// The time that `sim explain` shows for the case: of its first step without jitter, or of its all-reduce.
netmodels::Result<netmodels::Seconds> time_of(const StepCase& measured, engine::ClusterCache& clusters);

}  // namespace sim::fit
