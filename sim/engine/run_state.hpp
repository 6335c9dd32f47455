// The state of a run: steps, samples, bytes, time, phases; and its result at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/engine/compression_cost.hpp"
#include "sim/engine/phases.hpp"
#include "sim/engine/record.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Counts for the simulators of steps, and notifies the listeners.
class RunState {
 public:
  /// @param scenario, listeners  outlive this
  RunState(const scenario::Scenario& scenario, const Listeners& listeners);

  [[nodiscard]] netmodels::Seconds now() const { return now_; }
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] double epoch() const { return epoch_after(0); }
  [[nodiscard]] double epoch_after(std::int64_t samples) const;
  [[nodiscard]] bool done() const { return done_after(0, 0); }
  /// Whether nothing is left to do after so many more steps and samples.
  [[nodiscard]] bool done_after(std::int64_t steps, std::int64_t samples) const;
  /// By all workers; nothing once a step used a closed form without a schedule.
  [[nodiscard]] std::optional<netmodels::Bytes> sent_by_all() const { return sent_by_all_; }
  /// Whether somebody wants the run to end.
  [[nodiscard]] bool interrupted() const {
    return is_raised(listeners_.stop) || is_raised(listeners_.enough);
  }

  /// Opens the next phase where its moment has come.
  /// @param network  describes the network now
  void arrive(const std::function<std::string()>& network) { phases_.arrive(now_, step_, epoch(), network); }
  [[nodiscard]] std::size_t phase() const { return phases_.current(); }

  /// A step is made and undone again: its time and bytes are spent.
  void spend(netmodels::Seconds duration, const std::optional<netmodels::Bytes>& sent_by_all);

  /// Time passes in which no step is made.
  void stall(netmodels::Seconds until);
  /// The first hundred are kept.
  void note(netmodels::Seconds at, Reason what);
  void end(Ending ending) { result_.ending = ending; }
  [[nodiscard]] bool ended() const { return result_.ending != Ending::finished; }

  /// The step that began now is made.
  void record(const StepRecord& step, std::int64_t samples);

  /// @param learning  nothing without a learner
  ArmResult finish(const EvaluatorCounts& evaluators, std::string learner,
                   std::optional<LearningResult> learning);

 private:
  static bool is_raised(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(); }
  [[nodiscard]] double share_done() const;
  /// Whether the run is past the moment: a step or an epoch counts as its last step began.
  [[nodiscard]] bool is_past(const scenario::Moment& at) const;
  void report_progress();

  const scenario::Training& training_;
  const std::vector<scenario::StatedMoment>& moments_;
  CompressionCosts costs_;
  std::int64_t steps_every_;  ///< a step is handed out
  const Listeners& listeners_;
  Phases phases_;
  ArmResult result_;
  netmodels::Seconds now_;
  std::int64_t step_ = 0;
  std::int64_t samples_ = 0;
  double last_epoch_ = 0;  ///< as the last step began
  std::optional<netmodels::Bytes> sent_by_all_ = netmodels::Bytes{};
  double reported_ = 0;
};

}  // namespace sim::engine
