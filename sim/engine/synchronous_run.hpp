// The loop over steps that all workers take together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/engine/batch_controller.hpp"
#include "sim/engine/compression_controller.hpp"
#include "sim/engine/drawn_workers.hpp"
#include "sim/engine/failures.hpp"
#include "sim/engine/membership.hpp"
#include "sim/engine/overlapped_exchanges.hpp"
#include "sim/engine/run_state.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/engine/step_simulator.hpp"
#include "sim/engine/stream_buffers.hpp"
#include "sim/engine/training_loop.hpp"

namespace sim::engine {

/// One run from the first step to the last.
class SynchronousRun {
 public:
  /// @param scenario, listeners, simulator  outlive this
  SynchronousRun(const scenario::Scenario& scenario, const Listeners& listeners, StepSimulator& simulator,
                 FailurePlan failures, TrainingLoop loop);

  netmodels::Result<ArmResult> run();

 private:
  // Steps.

  void arrive();
  /// Lets the policy redistribute samples.
  void rebatch();
  /// Gradients, and how the step will end.
  StepAction begin_step();
  /// Stalls before the step where its collective differs from that of the previous step; the exchange keeps
  /// its cost on the network at the time of the decision.
  void charge_switch();
  /// The step took place: it is recorded, or its time is spent.
  void finish_step(const StepAction& end);
  [[nodiscard]] ArmResult result();
  /// The step was an experiment.
  void spend();
  /// Samples have arrived while the step computed and exchanged.
  void end_streams();
  /// How gradients or changes are sent in a step that ends so; no method where neither is.
  void record(const StepAction& end);
  [[nodiscard]] std::vector<std::size_t> drawn_ranks() const;
  [[nodiscard]] Progress after(const StepRecord& step, std::int64_t samples) const;
  void stop_diverged();

  // Workers that leave, return, rest in a round or are lost.

  static bool is_among(const std::vector<std::uint32_t>& workers, std::uint32_t worker) {
    return std::ranges::find(workers, worker) != workers.end();
  }
  /// Workers leave and return.
  /// @returns whether any is left, or returns later, for which training then waits
  bool change_workers();
  /// Those who take part in the round, and those who rest in it.
  [[nodiscard]] std::vector<std::uint32_t> present() const;
  /// Draws who takes part from now on, where the policy draws some.
  void begin_round();
  /// A round whose workers are all gone ends, and others are drawn for the next.
  void wake_all_if_nobody_is_left();
  /// Those that are back and have the model take part again, where all have the same one.
  void take_returned();
  /// From the first of the workers, beside the training's own traffic, as if that was not there.
  [[nodiscard]] bool has_downloaded(std::uint32_t worker);
  void note_workers(const std::vector<std::uint32_t>& workers, ReasonKind kind);
  /// Workers that are left, for a reason.
  [[nodiscard]] Figure workers_left() const;
  /// The worker, or the site that it is in.
  [[nodiscard]] std::uint32_t member_of(std::uint32_t worker) const;
  /// Each once, in the order of their first workers.
  [[nodiscard]] std::vector<std::uint32_t> members_of(const std::vector<std::uint32_t>& workers) const;
  /// Something broke before the end of the step under way.
  void lose_step(const Breakdown& broken, const StepAction& end);
  /// Workers that rest in this round are lost: nothing of the step under way is.
  void lose_resting(const Breakdown& broken);
  /// Whether a worker that still takes part is lost, or a link is still down.
  [[nodiscard]] bool matters(const Breakdown& broken) const;
  /// The step under way is lost; training resumes after the recovery with the remaining workers.
  void recover(const Breakdown& broken);

  const scenario::Cluster& cluster_;
  const scenario::Output& output_;
  RoundDraw draw_;
  netmodels::Seconds restart_;      ///< training stalls that long when batches change ...
  netmodels::Seconds switch_cost_;  ///< ... and when the collective does
  const Listeners& listeners_;
  StepSimulator& simulator_;
  FailurePlan failures_;
  Membership membership_;
  std::vector<std::uint32_t> away_;     ///< who left and may return, and who returned and waits for the model
  std::vector<std::uint32_t> resting_;  ///< present, and not drawn for this round
  bool round_ended_ = true;             ///< by the last step: all who took part have the same model
  TrainingLoop loop_;
  BatchController batches_;
  std::optional<StreamBuffers> streams_;
  std::vector<netmodels::Seconds> waits_;  ///< of the step under way, for its samples; empty without streams
  CompressionController compression_;
  std::optional<netmodels::LinkState> network_;  ///< as the step began
  OverlappedExchanges overlapped_;
  std::string_view deployed_;       ///< the collective of the last step that had one
  std::optional<StepAction> lost_;  ///< of a step that is to be repeated: its gradients are there
  RunState state_;
};

}  // namespace sim::engine
