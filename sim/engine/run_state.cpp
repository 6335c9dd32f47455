// Counting up.
#include "sim/engine/run_state.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sim::engine {

using netmodels::Seconds;

RunState::RunState(const scenario::Scenario& scenario, const Listeners& listeners)
    : training_(scenario.work.training),
      moments_(scenario.moments),
      costs_(scenario.exchange.compression, scenario.work.workload, scenario.work.device),
      steps_every_(scenario.simulation.output.steps_every),
      listeners_(listeners),
      phases_(phase_moments(scenario.cluster.changes, scenario.exchange.compression.warm_up)) {
  const auto& tokens = scenario.work.workload.token_work;
  result_.name = scenario.name;
  result_.compute_alone = scenario.work.workload.compute(training_.batch) / (tokens ? tokens->waited : 1);
}

double RunState::epoch_after(std::int64_t samples) const {
  return static_cast<double>(samples_ + samples) / static_cast<double>(training_.samples);
}

bool RunState::done_after(std::int64_t steps, std::int64_t samples) const {
  if (training_.steps) return step_ + steps >= *training_.steps;
  return static_cast<double>(samples_ + samples) >= training_.epochs * static_cast<double>(training_.samples);
}

bool RunState::is_past(const scenario::Moment& at) const {
  if (at.unit == scenario::Moment::Unit::time) return now_.count >= at.value;
  return has_come(at, now_, step_ - 1, last_epoch_);
}

double RunState::share_done() const {
  if (training_.steps) return static_cast<double>(step_) / static_cast<double>(*training_.steps);
  return epoch() / training_.epochs;
}

void RunState::stall(Seconds until) {
  result_.outside_steps += until - now_;
  now_ = until;
}

void RunState::spend(Seconds duration, const std::optional<netmodels::Bytes>& sent_by_all) {
  ++result_.experiment_steps;
  stall(now_ + duration);
  if (sent_by_all && sent_by_all_)
    *sent_by_all_ += *sent_by_all;
  else
    sent_by_all_.reset();
}

void RunState::note(Seconds at, Reason what) {
  constexpr std::size_t most_events = 100;
  if (result_.events.size() < most_events) result_.events.push_back({at, std::move(what)});
}

void RunState::record(const StepRecord& step, std::int64_t samples) {
  phases_.add(step, static_cast<double>(samples));
  if (step.traffic == Traffic::nothing) ++result_.local_steps;
  if (step.sent && sent_by_all_)
    *sent_by_all_ += *step.sent * step.workers;
  else
    sent_by_all_.reset();
  const bool kept = step_ % steps_every_ == 0 || (step.learning && step.learning->evaluated);
  if (listeners_.step && kept) listeners_.step(step);
  now_ += step.duration;
  last_epoch_ = epoch();
  samples_ += samples;
  ++step_;
  report_progress();
}

void RunState::report_progress() {
  constexpr double every = 0.0025;
  if (!listeners_.progress || share_done() < reported_ + every) return;
  reported_ = share_done();
  listeners_.progress(std::min(1.0, reported_));
}

ArmResult RunState::finish(const EvaluatorCounts& evaluators, std::string learner,
                           std::optional<LearningResult> learning) {
  const double alone = own_samples(training_) / result_.compute_alone.count;  // without waiting for others
  result_.whole = phases_.whole(alone);
  result_.phases = phases_.results(alone);
  result_.time = now_;
  result_.evaluators = evaluators;
  for (const auto& [method, steps] : result_.whole.methods)
    result_.compression_level = std::max(result_.compression_level, costs_.level(method));
  result_.learner = std::move(learner);
  result_.learning = std::move(learning);
  if (result_.ending == Ending::interrupted) return std::move(result_);
  std::ranges::copy_if(moments_, std::back_inserter(result_.unreached),
                       [this](const scenario::StatedMoment& moment) { return !is_past(moment.at); });
  return std::move(result_);
}

}  // namespace sim::engine
