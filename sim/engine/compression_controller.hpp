// The compression policy of a run, its input and its choice, and whether compression pays at all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "policies/compression_policy.hpp"
#include "sim/engine/communication_plan.hpp"
#include "sim/engine/record.hpp"
#include "sim/engine/step_simulator.hpp"
#include "sim/engine/training_loop.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

// Whether compression pays at all: one step with it against the same step without.

class StepSimulator;

/// Two ways to end one step. Compression pays iff t_sync^(c) + t_comp-decomp^(c) < t_sync; here of the parts
/// that nothing hides, so iff the step is shorter.
///
/// Leaves out: the cost of compression in accuracy, hence in steps.
/// Source: Agarwal, Wang, Venkataraman & Papailiopoulos, "On the Utility of Gradient Compression in
///         Distributed Training Systems", MLSys 2022; Tyagi & Swany, "Flexible Communication for Optimal
///         Distributed Learning over Unpredictable Networks", IEEE BigData 2023, section 2.
struct CompressionWorth {
  policies::CompressionChoice sent;
  bool stated = true;             ///< the scenario compresses so; false: an example for its dense gradient
  netmodels::Seconds dense;       ///< the whole step without compression
  netmodels::Seconds compressed;  ///< the whole step with it
  netmodels::Seconds compress;    ///< compression and restoring that nothing hides
  netmodels::Seconds saved;       ///< of the exchange that nothing hides; below 0 where it takes longer
  netmodels::Seconds least;       ///< a step whose exchange and compression cost nothing
  scenario::CostLevel level;      ///< how much is known about the compression time

  [[nodiscard]] bool pays() const { return compressed < dense; }
};

/// Simulates both steps on the network as it is now. Where the scenario sends the dense gradient, top-k or
/// AR-Topk at 1 % is the example, whichever is faster.
/// @param simulator  its last step is another one afterwards
/// @returns nothing for a single worker; an Error where the evaluator refuses an exchange
netmodels::Result<std::optional<CompressionWorth>> compression_worth(StepSimulator& simulator,
                                                                     netmodels::Seconds now,
                                                                     std::int64_t step);

// The compression policy of a run, its input and its choice.

/// Asks the policy step by step, and keeps its experiments apart from the training.
class CompressionController {
 public:
  /// @param stated      with any policy; `fixed` decides nothing
  /// @param hysteresis  a new choice must be better by this share, in [0, 1)
  /// @param values      of the whole gradient
  CompressionController(const scenario::Compression& stated, double hysteresis, std::uint64_t seed,
                        std::int64_t values);

  /// Before a step: what is to be tried. Where an experiment begins the learner is kept, where one is over it
  /// is put back.
  /// @param done  steps of the training
  void begin(const StepSimulator& simulator, netmodels::Seconds now, std::int64_t done, double epoch,
             TrainingLoop& loop);
  /// Whether this step is an experiment: its time and bytes are spent, nothing else stays.
  [[nodiscard]] bool experiment() const { return plan_ && plan_->experiment.has_value(); }

  /// With the step's gradients there: tries, and chooses. @returns nothing for `fixed`
  std::optional<ChosenCompression> choose(TrainingLoop& loop);

  /// The outcome.
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
