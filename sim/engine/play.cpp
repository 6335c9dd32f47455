// The loop over steps that all workers take together: changes, probes, failures, records.
#include "sim/engine/play.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/engine/batching.hpp"
#include "sim/engine/compressing.hpp"
#include "sim/engine/course.hpp"
#include "sim/engine/failures.hpp"
#include "sim/engine/learners.hpp"
#include "sim/engine/ledger.hpp"
#include "sim/engine/play_asynchronous.hpp"
#include "sim/engine/step_simulator.hpp"
#include "sim/engine/streaming.hpp"
#include "sim/engine/timeline.hpp"

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

namespace {

/// One run from the first step to the last.
class SynchronousRun {
 public:
  SynchronousRun(const scenario::Scenario& scenario, const Listeners& listeners, StepSimulator& simulator,
                 FailurePlan failures, Course course)
      : scenario_(scenario),
        listeners_(listeners),
        simulator_(simulator),
        failures_(std::move(failures)),
        course_(std::move(course)),
        batching_(scenario),
        compressing_(scenario),
        ledger_(scenario, listeners) {
    if (scenario.streams) streaming_.emplace(scenario);
  }

  Result<ArmResult> run() {
    while (!ledger_.done() && !ledger_.ended()) {
      if (ledger_.interrupted()) {
        ledger_.end(Ending::interrupted);
        break;
      }
      arrive();
      const StepAction end = lost_ ? *std::exchange(lost_, std::nullopt) : begin_step();
      if (auto played = simulator_.step(ledger_.now(), ledger_.step(), true, end, waits_); !played)
        return tl::unexpected(played.error());
      if (auto broken = failures_.next_before(ledger_.now() + simulator_.times().duration)) {
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
      redeploy();
      compressing_.experiment() ? spend() : record(end);
    }
    ArmResult result = ledger_.finish(simulator_.evaluators(), course_.label(), course_.result());
    result.batch_changes = batching_.changes();
    result.batches = batching_.samples();
    if (!streaming_) return result;
    result.buffer = streaming_->buffer();
    result.streamed = scenario_.streams->sample_size * streaming_->buffer().streamed;
    return result;
  }

 private:
  void arrive() {
    simulator_.arrive(ledger_.now(), ledger_.step(), ledger_.epoch());
    const Seconds still = simulator_.observe(ledger_.now());
    if (still > Seconds{}) {
      ledger_.stand_still(ledger_.now() + still);
      simulator_.arrive(ledger_.now(), ledger_.step(), ledger_.epoch());
    }
    if (!lost_) rebatch();
    ledger_.arrive(
        [this] { return to_string(simulator_.network(ledger_.now()), simulator_.workers().size()); });
    if (listeners_.step) network_ = simulator_.neighbours(ledger_.now());
  }

  /// Lets the policy share samples out anew.
  void rebatch() {
    ArrivalRate arriving;
    if (streaming_)
      arriving = [this](std::uint32_t worker) { return streaming_->rate(worker, ledger_.now()); };
    if (!batching_.decide(ledger_.step(), ledger_.epoch(), simulator_.workers(), arriving)) return;
    simulator_.set_batches(batching_.samples());
    course_.set_batches(batching_.samples());
    ledger_.note(ledger_.now(), batching_.text());
    if (ledger_.step() == 0) return;  // nothing has begun that would have to begin again
    ledger_.stand_still(ledger_.now() + policies::changes_of(scenario_.batching).restart);
    simulator_.arrive(ledger_.now(), ledger_.step(), ledger_.epoch());
  }

  /// Gradients, and how the step will end.
  StepAction begin_step() {
    if (streaming_) waits_ = streaming_->take(ledger_.now(), simulator_.workers(), batching_.samples());
    compressing_.begin(simulator_, ledger_.now(), ledger_.epoch(), course_);
    const double reached = ledger_.epoch_after(simulator_.samples_per_step());
    StepAction end{course_.begin(ledger_.step(), simulator_.workers(), reached), {}};
    if (end.traffic == Traffic::gradients) end.compression = compressing_.choose(course_);
    return end;
  }

  /// Stands still before the step where it uses another collective than the one before it; the exchange keeps
  /// the price of the network as it was when that was decided.
  void redeploy() {
    const std::string_view now = simulator_.plan().collective();
    if (now.empty() || now == deployed_) return;
    if (!deployed_.empty()) ledger_.stand_still(ledger_.now() + scenario_.exchange.redeploy);
    deployed_ = now;
  }

  /// The step was an experiment.
  void spend() {
    auto sent = simulator_.sent();
    if (sent) *sent *= static_cast<double>(simulator_.workers().size());
    compressing_.learn(simulator_, course_.finish_experiment());
    end_streams();
    ledger_.spend(simulator_.times().duration, sent);
  }

  /// Samples have arrived while the step computed and exchanged.
  void end_streams() {
    if (!streaming_) return;
    const netmodels::StepTimes& times = simulator_.times();
    streaming_->pass(ledger_.now() + times.duration, times.duration - times.parts.stream_wait,
                     simulator_.workers());
  }

  /// Whether somebody who still takes part is lost, or a link is still down.
  [[nodiscard]] bool matters(const Breakdown& broken) const {
    if (broken.lost.empty()) return !broken.until || *broken.until > ledger_.now();
    return std::ranges::any_of(broken.lost, [&](std::uint32_t lost) {
      return std::ranges::find(simulator_.workers(), lost) != simulator_.workers().end();
    });
  }

  /// The step under way is lost; training goes on after the recovery with who is left.
  void recover(const Breakdown& broken) {
    simulator_.abandon_step();
    const Seconds broken_at = std::max(broken.at, ledger_.now());
    const bool nobody_known_to_lose = broken.lost.empty() && !broken.until;
    if (scenario_.cluster.on_failure == scenario::OnFailure::stop || nobody_known_to_lose) {
      ledger_.note(broken_at, broken.what + " failed: training stops");
      ledger_.stand_still(broken_at);
      ledger_.end(Ending::stopped_by_failure);
      return;
    }
    simulator_.lose(broken.lost);
    const Seconds mended = std::max(broken.at, broken.until.value_or(broken.at));
    const Seconds resumed = std::max(ledger_.now(), mended + scenario_.cluster.recovery);
    ledger_.note(broken_at, fmt::format("{} failed: {} workers go on at {}", broken.what,
                                        simulator_.workers().size(), print(resumed, 6)));
    ledger_.stand_still(resumed);
    if (simulator_.workers().empty()) {
      ledger_.note(ledger_.now(), "no worker is left: training stops");
      ledger_.end(Ending::stopped_by_failure);
    }
  }

  /// What carries gradients in a step that ends so; none where nothing compresses them.
  [[nodiscard]] policies::CompressionChoice sent_by(const StepAction& end) const {
    if (end.traffic != Traffic::gradients) return {"", 1};
    if (end.compression) return end.compression->sent;
    return {scenario_.compression.method, scenario_.compression.ratio};
  }

  void record(const StepAction& end) {
    const netmodels::StepTimes& times = simulator_.times();
    const auto workers = static_cast<std::uint32_t>(simulator_.workers().size());
    const std::int64_t samples = simulator_.samples_per_step();
    StepRecord step{ledger_.step(),
                    ledger_.epoch(),
                    ledger_.phase(),
                    ledger_.now(),
                    times.duration,
                    times.parts,
                    times.exchange_busy,
                    simulator_.sent(),
                    workers,
                    simulator_.plan().collective(),
                    sent_by(end).ratio,
                    sent_by(end).method,
                    end.traffic,
                    0,
                    {},
                    samples,
                    {}};
    step.margin = times.margin;
    step.network = network_;
    step.learning = course_.finish(after(step, samples));
    compressing_.learn(simulator_, step.learning);
    for (std::size_t rank = 0; rank < workers; ++rank) {
      const std::uint32_t worker = simulator_.workers()[rank];
      batching_.learn(worker, batching_.samples()[worker], simulator_.compute_time(rank));
    }
    end_streams();
    if (streaming_) step.buffer = streaming_->buffer();
    if (listeners_.span && step.step < scenario_.output.timeline_steps)
      draw_step(simulator_, step.start, step.step, listeners_.span);
    ledger_.record(step, samples);
  }

  [[nodiscard]] Progress after(const StepRecord& step, std::int64_t samples) const {
    auto sent = ledger_.sent_by_all();
    if (sent && step.sent)
      *sent += *step.sent * step.workers;
    else
      sent.reset();
    return {step.step + 1, ledger_.epoch_after(samples), step.start + step.duration, sent,
            ledger_.done_after(1, samples)};
  }

  const scenario::Scenario& scenario_;
  const Listeners& listeners_;
  StepSimulator& simulator_;
  FailurePlan failures_;
  Course course_;
  Batching batching_;
  std::optional<Streaming> streaming_;
  std::vector<Seconds> waits_;  ///< of the step under way, for its samples; empty without streams
  Compressing compressing_;
  std::optional<netmodels::LinkState> network_;  ///< as the step began
  std::string_view deployed_;                    ///< the collective of the last step that had one
  std::optional<StepAction> lost_;  ///< of a step that is to be played again: its gradients are there
  Ledger ledger_;
};

}  // namespace

Result<void> check_cluster(const scenario::Scenario& scenario, ClusterCache& clusters) {
  auto simulator = StepSimulator::make(scenario, clusters);
  if (!simulator) return tl::unexpected(simulator.error());
  auto failures = FailurePlan::make(scenario.cluster, (*simulator)->platform());
  if (!failures) return tl::unexpected(failures.error());
  return {};
}

Result<ArmResult> play(const scenario::Scenario& scenario, const Listeners& listeners, LearnerShelf& shelf,
                       ClusterCache& clusters) {
  auto learner = shelf.make(scenario);
  if (!learner) return tl::unexpected(learner.error());
  Course course(scenario, std::move(*learner));
  if (is_asynchronous(scenario.synchronisation))
    return play_asynchronously(scenario, listeners, std::move(course), clusters);
  auto simulator = StepSimulator::make(scenario, clusters);
  if (!simulator) return tl::unexpected(simulator.error());
  auto failures = FailurePlan::make(scenario.cluster, (*simulator)->platform());
  if (!failures) return tl::unexpected(failures.error());
  return SynchronousRun(scenario, listeners, **simulator, std::move(*failures), std::move(course)).run();
}

}  // namespace sim::engine
