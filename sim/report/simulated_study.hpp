// A simulated study: each arm with its result and the explanation of its steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/engine/goodput_steps.hpp"
#include "sim/engine/record.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::report {

/// One arm and its result.
struct SimulatedArm {
  const scenario::Scenario* scenario;  ///< lives in the study
  engine::ArmResult result;
  std::vector<engine::ExplainedStep> explained{};  ///< one for each declared phase; empty where not asked for
  std::optional<engine::GoodputSteps> goodput{};  ///< of a cluster with a fabric; nothing where not asked for
};

/// All that an output can show. An interrupted run holds fewer arms than its study.
struct SimulatedStudy {
  std::string file;  ///< as the user named it
  const scenario::Study* study;
  std::vector<SimulatedArm> arms;
};

}  // namespace sim::report
