// The loop over steps that all workers take together: changes, probes, failures, records.
#include "sim/engine/simulate.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/engine/batch_controller.hpp"
#include "sim/engine/compression_controller.hpp"
#include "sim/engine/drawn_workers.hpp"
#include "sim/engine/failures.hpp"
#include "sim/engine/learners.hpp"
#include "sim/engine/membership.hpp"
#include "sim/engine/overlap_room.hpp"
#include "sim/engine/run_state.hpp"
#include "sim/engine/simulate_asynchronous.hpp"
#include "sim/engine/step_simulator.hpp"
#include "sim/engine/stream_buffers.hpp"
#include "sim/engine/training_loop.hpp"

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

namespace {

/// One run from the first step to the last.
class SynchronousRun {
 public:
  SynchronousRun(const scenario::Scenario& scenario, const Listeners& listeners, StepSimulator& simulator,
                 FailurePlan failures, TrainingLoop loop)
      : scenario_(scenario),
        listeners_(listeners),
        simulator_(simulator),
        failures_(std::move(failures)),
        membership_(scenario),
        loop_(std::move(loop)),
        batches_(scenario),
        compression_(scenario),
        state_(scenario, listeners) {
    if (scenario.streams) streams_.emplace(scenario);
  }

  Result<ArmResult> run() {
    while (!state_.done() && !state_.ended()) {
      if (state_.interrupted()) {
        state_.end(Ending::interrupted);
        break;
      }
      if (!lost_ && !change_workers()) break;
      if (!lost_ && round_ended_) begin_round();
      arrive();
      const StepAction end = lost_ ? *std::exchange(lost_, std::nullopt) : begin_step();
      if (auto played = simulator_.step(state_.now(), state_.step(), true, end, waits_); !played) {
        if (state_.interrupted()) continue;
        return tl::unexpected(played.error());
      }
      if (auto broken = failures_.next_before(state_.now() + simulator_.times().duration)) {
        lose_resting(*broken);
        std::erase_if(away_, [&](std::uint32_t worker) { return is_among(broken->lost, worker); });
        const bool matters = this->matters(*broken);
        if (matters)
          recover(*broken);
        else
          simulator_.abandon_step();
        if (!matters || broken->lost.empty()) {  // the same workers begin it again, their samples are there
          lost_ = end;
          waits_.clear();
        }
        continue;
      }
      charge_switch();
      overlap_exchanges(end);
      compression_.experiment() ? spend() : record(end);
      if (loop_.diverged()) stop_diverged();
    }
    ArmResult result = state_.finish(simulator_.evaluators(), loop_.label(), loop_.result());
    result.batch_changes = batches_.changes();
    result.batches = batches_.samples();
    if (!streams_) return result;
    result.buffer = streams_->buffer();
    result.streamed = scenario_.streams->sample_size * streams_->buffer().streamed;
    return result;
  }

 private:
  static bool is_among(const std::vector<std::uint32_t>& workers, std::uint32_t worker) {
    return std::ranges::find(workers, worker) != workers.end();
  }

  /// Workers leave and return.
  /// @returns whether any is left, or returns later, for which training then waits
  bool change_workers() {
    if (!membership_.changes()) return true;
    simulator_.arrive(state_.now(), state_.step(),
                      state_.epoch());  // downloads cross the network as it is now
    std::vector<std::uint32_t> leaving;
    for (const std::uint32_t worker : present()) {
      if (membership_.is_away(member_of(worker), state_.now())) leaving.push_back(worker);
    }
    if (!leaving.empty()) {
      away_.insert(away_.end(), leaving.begin(), leaving.end());
      std::erase_if(resting_, [&](std::uint32_t worker) { return is_among(leaving, worker); });
      simulator_.lose(leaving);
      note_workers(leaving, "left");
      wake_all_if_nobody_is_left();
    }
    take_returned();
    while (simulator_.workers().empty()) {
      const auto next = membership_.next_return(members_of(away_));
      if (!next) {
        state_.note(state_.now(), "no workers left: training stops");
        state_.end(Ending::stopped_by_failure);
        return false;
      }
      state_.stall(*next);
      take_returned();
    }
    return true;
  }

  /// Those who take part in the round, and those who rest in it.
  [[nodiscard]] std::vector<std::uint32_t> present() const {
    std::vector<std::uint32_t> workers = simulator_.workers();
    workers.insert(workers.end(), resting_.begin(), resting_.end());
    std::ranges::sort(workers);
    return workers;
  }

  /// Draws who takes part from now on, where the policy draws some.
  void begin_round() {
    if (policies::drawn_share(scenario_.synchronisation) == 1) return;
    const std::vector<std::uint32_t> all = present();
    const std::vector<std::uint32_t> drawn = drawn_workers(scenario_, all, state_.step());
    std::vector<std::uint32_t> woken;
    std::ranges::set_intersection(drawn, resting_, std::back_inserter(woken));
    resting_.clear();
    std::ranges::set_difference(all, drawn, std::back_inserter(resting_));
    simulator_.set_workers(drawn);
    for (const std::uint32_t member : members_of(woken)) loop_.wake(member);
  }

  /// A round whose workers are all gone ends, and others are drawn for the next.
  void wake_all_if_nobody_is_left() {
    if (!simulator_.workers().empty() || resting_.empty()) return;
    simulator_.set_workers(resting_);
    for (const std::uint32_t member : members_of(resting_)) loop_.wake(member);
    resting_.clear();
    round_ended_ = true;
  }

  /// Those that are back and have the model take part again, where all have the same one.
  void take_returned() {
    std::vector<std::uint32_t> ready;
    for (const std::uint32_t worker : away_) {
      if (membership_.is_away(member_of(worker), state_.now())) continue;
      if (simulator_.workers().empty() || (round_ended_ && has_downloaded(worker))) ready.push_back(worker);
    }
    if (ready.empty()) return;
    std::erase_if(away_, [&](std::uint32_t worker) { return is_among(ready, worker); });
    simulator_.join(ready);
    for (const std::uint32_t member : members_of(ready)) loop_.join(member);
    note_workers(ready, "returned");
  }

  /// From the first of the workers, beside the training's own traffic, as if that was not there.
  [[nodiscard]] bool has_downloaded(std::uint32_t worker) {
    const netmodels::LinkState link =
        simulator_.link_between(simulator_.workers().front(), worker, state_.now());
    const double bytes =
        static_cast<double>(scenario_.workload.parameters()) * scenario_.parallelism.states.optimizer;
    const Seconds download = link.latency + netmodels::Bytes{bytes} / link.bandwidth;
    return membership_.present_since(member_of(worker)) + download <= state_.now();
  }

  void note_workers(const std::vector<std::uint32_t>& workers, std::string_view what) {
    const std::vector<std::uint32_t> members = members_of(workers);
    state_.note(state_.now(), fmt::format("{}{} {} {}: {} continue", scenario::member_name(scenario_),
                                          members.size() > 1 ? "s" : "", fmt::join(members, ", "), what,
                                          present().size() / site_));
  }

  /// The worker, or the site that it is in.
  [[nodiscard]] std::uint32_t member_of(std::uint32_t worker) const { return worker / site_; }

  /// Each once, in the order of their first workers.
  [[nodiscard]] std::vector<std::uint32_t> members_of(const std::vector<std::uint32_t>& workers) const {
    std::vector<std::uint32_t> members;
    for (const std::uint32_t worker : workers) {
      if (!is_among(members, member_of(worker))) members.push_back(member_of(worker));
    }
    return members;
  }

  void arrive() {
    simulator_.arrive(state_.now(), state_.step(), state_.epoch());
    const Seconds still = simulator_.observe(state_.now());
    if (still > Seconds{}) {
      state_.stall(state_.now() + still);
      simulator_.arrive(state_.now(), state_.step(), state_.epoch());
    }
    if (!lost_) rebatch();
    state_.arrive(
        [this] { return to_string(simulator_.network(state_.now()), simulator_.workers().size()); });
    if (listeners_.step) network_ = simulator_.neighbours(state_.now());
  }

  void stop_diverged() {
    state_.note(state_.now(), diverged_text(state_.step()));
    state_.end(Ending::diverged);
  }

  /// Lets the policy redistribute samples.
  void rebatch() {
    ArrivalRate arriving;
    if (streams_) arriving = [this](std::uint32_t worker) { return streams_->rate(worker, state_.now()); };
    if (!batches_.decide(state_.step(), state_.epoch(), simulator_.workers(), arriving)) return;
    simulator_.set_batches(batches_.samples());
    loop_.set_batches(batches_.samples());
    state_.note(state_.now(), batches_.text());
    if (state_.step() == 0) return;  // nothing has begun that would have to begin again
    state_.stall(state_.now() + policies::changes_of(scenario_.batching).restart);
    simulator_.arrive(state_.now(), state_.step(), state_.epoch());
  }

  /// Gradients, and how the step will end.
  StepAction begin_step() {
    if (streams_) waits_ = streams_->take(state_.now(), simulator_.workers(), batches_.samples());
    compression_.begin(simulator_, state_.now(), state_.step(), state_.epoch(), loop_);
    const std::int64_t samples = simulator_.samples_per_step();
    const bool last = state_.done_after(1, samples);
    StepAction end{
        loop_.begin(state_.step(), simulator_.workers(), state_.epoch_after(samples), last, present().size()),
        {}};
    if (end.traffic == Traffic::gradients)
      end.compression = loop_.dense() ? whole_gradient() : compression_.choose(loop_);
    return end;
  }

  /// Stalls before the step where its collective differs from that of the previous step; the exchange keeps
  /// its cost on the network at the time of the decision.
  void charge_switch() {
    const std::string_view now = simulator_.plan().collective();
    if (now.empty() || now == deployed_) return;
    if (!deployed_.empty()) state_.stall(state_.now() + scenario_.exchange.switch_cost);
    deployed_ = now;
  }

  /// Exchanges that overlap later steps, one after another: this step waits for those that are due with it,
  /// and the last step of a training for what later steps would not have hidden of the others.
  void overlap_exchanges(const StepAction& end) {
    if (streaming_.delay == 0) return;
    if (end.traffic == Traffic::nothing) local_step_ = simulator_.times().duration;
    if (end.traffic == Traffic::parameters) {
      const Seconds sending = simulator_.models_exchange();
      simulator_.wait_for_exchange(-1.0 * sending);
      exchanging_step_ = simulator_.times().duration;
      const Seconds begin = state_.now() + simulator_.times().duration;
      sent_until_ = std::max(begin, sent_until_) + sending;
      under_way_.push_back({state_.step() + streaming_.delay, sent_until_});
    }
    while (!under_way_.empty() && under_way_.front().due <= state_.step()) {
      const Seconds ended = state_.now() + simulator_.times().duration;
      const Seconds arrives = under_way_.front().arrives;
      simulator_.wait_for_exchange(std::max(Seconds{}, arrives - ended));
      simulator_.take_arrived(std::max(Seconds{}, ended - arrives));
      under_way_.pop_front();
    }
    if (state_.done_after(1, simulator_.samples_per_step())) wait_for_the_rest();
  }

  /// As much as a training that went on would: the mean step of a short one is that of a long one. An
  /// exchange overlaps no more steps than there are to the next one (see `overlap_room`).
  void wait_for_the_rest() {
    Seconds waited;
    for (const UnderWay& exchange : under_way_) {
      const Seconds room = overlap_room(scenario_, exchange.due - state_.step(),
                                        local_step_.value_or(exchanging_step_), exchanging_step_);
      const Seconds ends = state_.now() + simulator_.times().duration + room + waited;
      waited += std::max(Seconds{}, exchange.arrives - ends);
    }
    simulator_.wait_for_exchange(waited);
  }

  /// The step was an experiment.
  void spend() {
    auto sent = simulator_.sent();
    if (sent) *sent *= static_cast<double>(simulator_.workers().size());
    compression_.learn(simulator_, loop_.finish_experiment());
    end_streams();
    state_.spend(simulator_.times().duration, sent);
  }

  /// Samples have arrived while the step computed and exchanged.
  void end_streams() {
    if (!streams_) return;
    const netmodels::StepTimes& times = simulator_.times();
    streams_->pass(state_.now() + times.duration, times.duration - times.parts.stream_wait, present());
  }

  /// Workers that rest in this round are lost: nothing of the step under way is.
  void lose_resting(const Breakdown& broken) {
    const auto is_lost = [&](std::uint32_t worker) { return is_among(broken.lost, worker); };
    if (std::erase_if(resting_, is_lost) == 0 || matters(broken)) return;
    if (scenario_.cluster.on_failure == scenario::OnFailure::stop) {
      state_.note(broken.at, broken.what + " failed: training stops");
      state_.end(Ending::stopped_by_failure);
    } else {
      state_.note(broken.at, fmt::format("{} failed: {} workers continue", broken.what, present().size()));
    }
  }

  /// Whether a worker that still takes part is lost, or a link is still down.
  [[nodiscard]] bool matters(const Breakdown& broken) const {
    if (broken.lost.empty()) return !broken.until || *broken.until > state_.now();
    return std::ranges::any_of(broken.lost, [&](std::uint32_t lost) {
      return std::ranges::find(simulator_.workers(), lost) != simulator_.workers().end();
    });
  }

  /// The step under way is lost; training resumes after the recovery with the remaining workers.
  void recover(const Breakdown& broken) {
    simulator_.abandon_step();
    simulator_.begin_together();
    const Seconds broken_at = std::max(broken.at, state_.now());
    const bool nobody_known_to_lose = broken.lost.empty() && !broken.until;
    if (scenario_.cluster.on_failure == scenario::OnFailure::stop || nobody_known_to_lose) {
      state_.note(broken_at, broken.what + " failed: training stops");
      state_.stall(broken_at);
      state_.end(Ending::stopped_by_failure);
      return;
    }
    simulator_.lose(broken.lost);
    wake_all_if_nobody_is_left();
    const Seconds mended = std::max(broken.at, broken.until.value_or(broken.at));
    const Seconds resumed = std::max(state_.now(), mended + scenario_.cluster.recovery);
    state_.note(broken_at, fmt::format("{} failed: {} workers continue at {}", broken.what, present().size(),
                                       print(resumed, 6)));
    state_.stall(resumed);
    if (simulator_.workers().empty()) {
      state_.note(state_.now(), "no workers left: training stops");
      state_.end(Ending::stopped_by_failure);
    }
  }

  /// How gradients or changes are sent in a step that ends so; no method where neither is.
  [[nodiscard]] policies::CompressionChoice sent_by(const StepAction& end) const {
    return end.compression ? end.compression->sent : stated_method(scenario_, end.traffic);
  }

  void record(const StepAction& end) {
    const netmodels::StepTimes& times = simulator_.times();
    const auto workers = static_cast<std::uint32_t>(simulator_.workers().size());
    const std::int64_t samples = simulator_.samples_per_step();
    StepRecord step{state_.step(),
                    state_.epoch(),
                    state_.phase(),
                    state_.now(),
                    times.duration,
                    times.parts,
                    times.exchange_busy,
                    simulator_.sent(),
                    workers,
                    simulator_.collective(),
                    sent_by(end).ratio,
                    sent_by(end).method,
                    end.traffic,
                    0,
                    {},
                    samples,
                    {}};
    step.margin = times.margin;
    step.between_nodes = simulator_.sent_between_nodes();
    step.network = network_;
    step.learning = loop_.finish(after(step, samples));
    compression_.learn(simulator_, step.learning);
    for (std::size_t rank = 0; rank < workers; ++rank) {
      const std::uint32_t worker = simulator_.workers()[rank];
      batches_.learn(worker, batches_.samples()[worker], simulator_.compute_time(rank));
    }
    end_streams();
    if (streams_) step.buffer = streams_->buffer();
    if (listeners_.span && step.step < scenario_.output.timeline_steps)
      draw_step(simulator_, step.start, step.step, drawn_ranks(), listeners_.span);
    state_.record(step, samples);
    round_ended_ = end.traffic != Traffic::nothing;
  }

  [[nodiscard]] std::vector<std::size_t> drawn_ranks() const {
    if (scenario_.output.timeline == scenario::TimelineWorkers::brief)
      return ranks_in_brief(simulator_, scenario_.cluster.workers_per_node);
    std::vector<std::size_t> ranks(simulator_.workers().size());
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    return ranks;
  }

  [[nodiscard]] Progress after(const StepRecord& step, std::int64_t samples) const {
    auto sent = state_.sent_by_all();
    if (sent && step.sent)
      *sent += *step.sent * step.workers;
    else
      sent.reset();
    return {step.step + 1, state_.epoch_after(samples), step.start + step.duration, sent,
            state_.done_after(1, samples)};
  }

  const scenario::Scenario& scenario_;
  const Listeners& listeners_;
  StepSimulator& simulator_;
  FailurePlan failures_;
  Membership membership_;
  std::uint32_t site_ = static_cast<std::uint32_t>(workers_of_site(scenario_));
  std::vector<std::uint32_t> away_;     ///< who left and may return, and who returned and waits for the model
  std::vector<std::uint32_t> resting_;  ///< present, and not drawn for this round
  bool round_ended_ = true;             ///< by the last step: all who took part have the same model
  TrainingLoop loop_;
  BatchController batches_;
  std::optional<StreamBuffers> streams_;
  std::vector<Seconds> waits_;  ///< of the step under way, for its samples; empty without streams
  CompressionController compression_;
  std::optional<netmodels::LinkState> network_;  ///< as the step began
  /// An exchange that overlaps later steps.
  struct UnderWay {
    std::int64_t due;  ///< the step that waits for it
    Seconds arrives;
  };
  policies::Streaming streaming_ = streaming_of(scenario_.synchronisation);
  std::deque<UnderWay> under_way_;
  Seconds sent_until_;                 ///< the last of them arrives
  std::optional<Seconds> local_step_;  ///< the last one that exchanged no models took so long
  Seconds exchanging_step_;            ///< the last one that did, without its exchange
  std::string_view deployed_;          ///< the collective of the last step that had one
  std::optional<StepAction> lost_;     ///< of a step that is to be repeated: its gradients are there
  RunState state_;
};

}  // namespace

Result<void> check_cluster(const scenario::Scenario& scenario, ClusterCache& clusters) {
  GRADSIM_TRY(simulator, StepSimulator::make(scenario, clusters));
  GRADSIM_TRY(failures, FailurePlan::make(scenario.cluster, (*simulator)->platform()));
  return {};
}

Result<ArmResult> simulate(const scenario::Scenario& scenario, const Listeners& listeners,
                           LearnerShelf& shelf, ClusterCache& clusters) {
  GRADSIM_TRY(learner, shelf.make(scenario));
  TrainingLoop loop(scenario, std::move(*learner));
  if (is_asynchronous(scenario.synchronisation))
    return simulate_asynchronously(scenario, listeners, std::move(loop), clusters);
  GRADSIM_TRY(simulator, StepSimulator::make(scenario, clusters));
  GRADSIM_TRY(failures, FailurePlan::make(scenario.cluster, (*simulator)->platform()));
  return SynchronousRun(scenario, listeners, **simulator, std::move(*failures), std::move(loop)).run();
}

}  // namespace sim::engine
