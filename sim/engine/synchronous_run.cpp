// Steps of a synchronous run: arrivals, batches, gradients, records.
#include "sim/engine/synchronous_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

SynchronousRun::SynchronousRun(const scenario::Scenario& scenario, const Listeners& listeners,
                               StepSimulator& simulator, FailurePlan failures, TrainingLoop loop)
    : cluster_(scenario.cluster),
      output_(scenario.simulation.output),
      draw_{policies::drawn_share(scenario.exchange.synchronisation), simulator.settings().site(),
            scenario.simulation.seed},
      restart_(policies::changes_of(scenario.work.batching).restart),
      switch_cost_(scenario.exchange.switch_cost),
      listeners_(listeners),
      simulator_(simulator),
      failures_(std::move(failures)),
      membership_(scenario.cluster, workers_of_site(scenario.work.parallelism, scenario.cluster),
                  scenario.simulation.seed),
      loop_(std::move(loop)),
      batches_(scenario.work.batching, scenario.cluster, scenario.work.training,
               scenario.work.compute.batch_limits),
      compression_(scenario.exchange.compression, scenario.exchange.hysteresis, scenario.simulation.seed,
                   scenario.work.workload.parameters()),
      overlapped_(scenario.exchange.synchronisation),
      state_(scenario, listeners) {
  if (scenario.work.streams)
    streams_.emplace(*scenario.work.streams, static_cast<std::uint32_t>(scenario.cluster.workers),
                     scenario.simulation.seed);
}

Result<ArmResult> SynchronousRun::run() {
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
    if (const auto broken = failures_.next_before(state_.now() + simulator_.times().duration))
      lose_step(*broken, end);
    else
      finish_step(end);
  }
  return result();
}

void SynchronousRun::finish_step(const StepAction& end) {
  charge_switch();
  overlapped_.charge(simulator_, state_, end.traffic);
  compression_.experiment() ? spend() : record(end);
  if (loop_.diverged()) stop_diverged();
}

ArmResult SynchronousRun::result() {
  ArmResult result = state_.finish(simulator_.evaluators(), loop_.label(), loop_.result());
  result.batch_changes = batches_.changes();
  result.batches = batches_.samples();
  if (!streams_) return result;
  result.buffer = streams_->buffer();
  result.streamed = streams_->streamed();
  return result;
}

void SynchronousRun::arrive() {
  simulator_.arrive(state_.now(), state_.step(), state_.epoch());
  const Seconds still = simulator_.observe(state_.now());
  if (still > Seconds{}) {
    state_.stall(state_.now() + still);
    simulator_.arrive(state_.now(), state_.step(), state_.epoch());
  }
  if (!lost_) rebatch();
  state_.arrive([this] { return to_string(simulator_.network(state_.now()), simulator_.workers().size()); });
  if (listeners_.step) network_ = simulator_.neighbours(state_.now());
}

void SynchronousRun::stop_diverged() {
  state_.note(state_.now(), {ReasonKind::diverged, {Figure::count("step", state_.step())}});
  state_.end(Ending::diverged);
}

void SynchronousRun::rebatch() {
  ArrivalRate arriving;
  if (streams_) arriving = [this](std::uint32_t worker) { return streams_->rate(worker, state_.now()); };
  if (!batches_.decide(state_.step(), state_.epoch(), simulator_.workers(), arriving)) return;
  simulator_.set_batches(batches_.samples());
  loop_.set_batches(batches_.samples());
  state_.note(state_.now(), batches_.reason());
  if (state_.step() == 0) return;  // nothing has begun that would have to begin again
  state_.stall(state_.now() + restart_);
  simulator_.arrive(state_.now(), state_.step(), state_.epoch());
}

StepAction SynchronousRun::begin_step() {
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

void SynchronousRun::charge_switch() {
  const std::string_view now = simulator_.plan().collective();
  if (now.empty() || now == deployed_) return;
  if (!deployed_.empty()) state_.stall(state_.now() + switch_cost_);
  deployed_ = now;
}

void SynchronousRun::spend() {
  auto sent = simulator_.sent();
  if (sent) *sent *= static_cast<double>(simulator_.workers().size());
  compression_.learn(simulator_, loop_.finish_experiment());
  end_streams();
  state_.spend(simulator_.times().duration, sent);
}

void SynchronousRun::end_streams() {
  if (!streams_) return;
  const netmodels::StepTimes& times = simulator_.times();
  streams_->pass(state_.now() + times.duration, times.duration - times.parts.stream_wait, present());
}

void SynchronousRun::record(const StepAction& end) {
  const netmodels::StepTimes& times = simulator_.times();
  const auto workers = static_cast<std::uint32_t>(simulator_.workers().size());
  const std::int64_t samples = simulator_.samples_per_step();
  const auto sent = sent_by(end, simulator_.settings().compression);
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
                  sent ? sent->ratio : 1,
                  recorded_name(sent),
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
  if (listeners_.span && step.step < output_.timeline_steps)
    draw_step(simulator_, step.start, step.step, drawn_ranks(), listeners_.span);
  state_.record(step, samples);
  round_ended_ = end.traffic != Traffic::nothing;
}

std::vector<std::size_t> SynchronousRun::drawn_ranks() const {
  if (output_.timeline == scenario::TimelineWorkers::brief)
    return ranks_in_brief(simulator_, cluster_.workers_per_node);
  std::vector<std::size_t> ranks(simulator_.workers().size());
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  return ranks;
}

Progress SynchronousRun::after(const StepRecord& step, std::int64_t samples) const {
  auto sent = state_.sent_by_all();
  if (sent && step.sent)
    *sent += *step.sent * step.workers;
  else
    sent.reset();
  return {step.step + 1, state_.epoch_after(samples), step.start + step.duration, sent,
          state_.done_after(1, samples)};
}

}  // namespace sim::engine
