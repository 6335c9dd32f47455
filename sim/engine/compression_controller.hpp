// The compression policy of a run, from what it may see to what is sent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "policies/compression_policy.hpp"
#include "sim/engine/communication_plan.hpp"
#include "sim/engine/record.hpp"
#include "sim/engine/step_simulator.hpp"
#include "sim/engine/training_loop.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Asks the policy step by step, and keeps its experiments apart from the training.
class CompressionController {
 public:
  /// @param scenario  with any policy; `fixed` decides nothing
  explicit CompressionController(const scenario::Scenario& scenario);

  /// Before a step: what is to be tried. Where an experiment begins the learner is kept, where one is over it
  /// is put back.
  void begin(const StepSimulator& simulator, netmodels::Seconds now, double epoch, TrainingLoop& loop);
  /// Whether this step is an experiment: its time and bytes are spent, nothing else stays.
  [[nodiscard]] bool experiment() const { return plan_ && plan_->experiment.has_value(); }

  /// With the step's gradients there: tries, and chooses. @returns nothing for `fixed`
  std::optional<ChosenCompression> choose(TrainingLoop& loop);

  /// What came of it.
  void learn(const StepSimulator& simulator, const std::optional<LearningStep>& learned);

 private:
  std::unique_ptr<policies::CompressionPolicy> policy_;  ///< null for `fixed`
  std::int64_t values_;
  std::optional<policies::CompressionPlan> plan_;
  std::optional<ChosenCompression> chosen_;
  std::optional<std::int64_t> under_way_;  ///< number of the experiment
  std::int64_t steps_ = 0;                 ///< experiments included
};

}  // namespace sim::engine
