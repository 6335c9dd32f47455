// The loop over steps: changes, probes, failures, records.
#include "sim/engine/play.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/engine/failures.hpp"
#include "sim/engine/phases.hpp"
#include "sim/engine/timeline.hpp"
#include "sim/engine/training.hpp"

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

namespace {

constexpr std::size_t most_events = 100;
constexpr std::string_view learner = "none: times only, no accuracy is predicted";

/// One run from the first step to the last.
class Play {
 public:
  Play(const scenario::Scenario& scenario, const Listeners& listeners, Training& training,
       FailurePlan failures)
      : scenario_(scenario),
        listeners_(listeners),
        training_(training),
        failures_(std::move(failures)),
        phases_(scenario.cluster.changes) {}

  Result<ArmResult> run() {
    while (!done() && result_.ending == Ending::finished) {
      if (listeners_.stop != nullptr && listeners_.stop->load()) {
        result_.ending = Ending::interrupted;
        break;
      }
      arrive();
      if (auto played = training_.step(now_, step_, true); !played) return tl::unexpected(played.error());
      if (auto broken = failures_.next_before(now_ + training_.times().duration)) {
        if (matters(*broken))
          recover(*broken);
        else
          training_.abandon_step();
        continue;
      }
      record();
    }
    return finish();
  }

 private:
  [[nodiscard]] double epoch() const {
    return static_cast<double>(samples_) / static_cast<double>(scenario_.training.samples);
  }
  [[nodiscard]] double share_done() const {
    if (scenario_.training.steps)
      return static_cast<double>(step_) / static_cast<double>(*scenario_.training.steps);
    return epoch() / scenario_.training.epochs;
  }
  [[nodiscard]] bool done() const {
    if (scenario_.training.steps) return step_ >= *scenario_.training.steps;
    return static_cast<double>(samples_) >=
           scenario_.training.epochs * static_cast<double>(scenario_.training.samples);
  }

  void arrive() {
    training_.arrive(now_, step_, epoch());
    const Seconds still = training_.observe(now_);
    if (still > Seconds{}) {
      now_ += still;
      result_.outside_steps += still;
      training_.arrive(now_, step_, epoch());
    }
    phases_.arrive(now_, step_, epoch(),
                   [this] { return to_string(training_.network(now_), training_.workers().size()); });
  }

  void note(Seconds at, std::string what) {
    if (result_.events.size() < most_events) result_.events.push_back({at, std::move(what)});
  }

  /// Whether somebody who still takes part is lost, or a link is still down.
  [[nodiscard]] bool matters(const Breakdown& broken) const {
    if (broken.lost.empty()) return !broken.until || *broken.until > now_;
    return std::ranges::any_of(broken.lost, [&](std::uint32_t lost) {
      return std::ranges::find(training_.workers(), lost) != training_.workers().end();
    });
  }

  /// The step under way is lost; training goes on after the recovery with who is left.
  void recover(const Breakdown& broken) {
    training_.abandon_step();
    const Seconds broken_at = std::max(broken.at, now_);
    const bool nobody_known_to_lose = broken.lost.empty() && !broken.until;
    if (scenario_.cluster.on_failure == scenario::OnFailure::stop || nobody_known_to_lose) {
      note(broken_at, broken.what + " failed: training stops");
      result_.outside_steps += broken_at - now_;
      now_ = broken_at;
      result_.ending = Ending::stopped_by_failure;
      return;
    }
    training_.lose(broken.lost);
    const Seconds mended = std::max(broken.at, broken.until.value_or(broken.at));
    const Seconds resumed = std::max(now_, mended + scenario_.cluster.recovery);
    note(broken_at, fmt::format("{} failed: {} workers go on at {}", broken.what, training_.workers().size(),
                                print(resumed, 6)));
    result_.outside_steps += resumed - now_;
    now_ = resumed;
    if (training_.workers().empty()) {
      note(now_, "no worker is left: training stops");
      result_.ending = Ending::stopped_by_failure;
    }
  }

  void record() {
    const StepTimes& times = training_.times();
    const auto workers = static_cast<std::uint32_t>(training_.workers().size());
    const StepRecord step{step_,
                          epoch(),
                          phases_.current(),
                          now_,
                          times.duration,
                          times.parts,
                          times.exchange_busy,
                          training_.sent(),
                          workers,
                          training_.collective(),
                          scenario_.compression.ratio};
    const std::int64_t samples = static_cast<std::int64_t>(scenario_.training.batch) * workers;
    phases_.add(step, static_cast<double>(samples));
    if (listeners_.step && step_ % scenario_.output.steps_every == 0) listeners_.step(step);
    if (listeners_.span && step_ < scenario_.output.timeline_steps)
      draw_step(training_, now_, step_, listeners_.span);
    now_ += times.duration;
    samples_ += samples;
    ++step_;
    report_progress();
  }

  void report_progress() {
    constexpr double every = 0.0025;
    if (!listeners_.progress || share_done() < reported_ + every) return;
    reported_ = share_done();
    listeners_.progress(std::min(1.0, reported_));
  }

  ArmResult finish() {
    result_.name = scenario_.name;
    result_.compute_alone = scenario_.workload.compute(scenario_.training.batch);
    const double alone = scenario_.training.batch / result_.compute_alone.count;
    result_.whole = phases_.whole(alone);
    result_.phases = phases_.results(alone);
    result_.time = now_;
    result_.evaluators = training_.evaluators();
    result_.compression_time_origin = compression_time_origin(scenario_);
    result_.learner = learner;
    return std::move(result_);
  }

  const scenario::Scenario& scenario_;
  const Listeners& listeners_;
  Training& training_;
  FailurePlan failures_;
  Phases phases_;
  ArmResult result_;
  Seconds now_;
  std::int64_t step_ = 0;
  std::int64_t samples_ = 0;
  double reported_ = 0;
};

}  // namespace

Result<void> check_cluster(const scenario::Scenario& scenario) {
  auto training = Training::make(scenario);
  if (!training) return tl::unexpected(training.error());
  auto failures = FailurePlan::make(scenario.cluster, (*training)->platform());
  if (!failures) return tl::unexpected(failures.error());
  return {};
}

Result<ArmResult> play(const scenario::Scenario& scenario, const Listeners& listeners) {
  auto training = Training::make(scenario);
  if (!training) return tl::unexpected(training.error());
  auto failures = FailurePlan::make(scenario.cluster, (*training)->platform());
  if (!failures) return tl::unexpected(failures.error());
  return Play(scenario, listeners, **training, std::move(*failures)).run();
}

}  // namespace sim::engine
