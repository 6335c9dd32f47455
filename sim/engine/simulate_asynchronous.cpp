// Gathering gradients into steps that can be compared with those of workers that wait.
#include "sim/engine/simulate_asynchronous.hpp"

#include <algorithm>
#include <numeric>

#include "sim/engine/batch_controller.hpp"
#include "sim/engine/decoupled.hpp"
#include "sim/engine/network_probe.hpp"
#include "sim/engine/run_state.hpp"

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

namespace {

/// One run from the first gradient to the last.
class AsynchronousRun {
 public:
  AsynchronousRun(const scenario::Scenario& scenario, const Listeners& listeners, OwnPace& training,
                  TrainingLoop loop)
      : exchanges_models_(exchanges_models(scenario.exchange.synchronisation)),
        sent_(scenario.exchange.compression.stated()),
        listeners_(listeners),
        training_(training),
        loop_(std::move(loop)),
        batches_(scenario.work.batching, scenario.cluster, scenario.work.training,
                 scenario.work.compute.batch_limits),
        state_(scenario, listeners),
        workers_(static_cast<std::size_t>(scenario.cluster.workers)) {
    std::iota(workers_.begin(), workers_.end(), 0U);
    pace_listener_.pulled = [this](std::uint32_t worker) { loop_.pull(worker); };
    pace_listener_.offered = [this](std::uint32_t worker, std::int64_t fragment) {
      loop_.offer(worker, fragment);
    };
    pace_listener_.merged = [this](std::int64_t fragment,
                                   const std::vector<learning::learners::Offered>& offers) {
      loop_.merge(fragment, offers);
      merged_ = true;
    };
    pace_listener_.answered = [this](std::uint32_t worker, std::int64_t fragment) {
      loop_.answer(worker, fragment);
    };
    pace_listener_.received = [this](std::uint32_t worker, std::int64_t fragment) {
      loop_.receive(worker, fragment);
    };
    pace_listener_.joined = [this](std::uint32_t worker, std::uint32_t source) {
      loop_.join(worker, source);
    };
    pace_listener_.stops = [this] { return state_.interrupted(); };
    pace_listener_.noted = [this](Reason event) { state_.note(training_.now(), std::move(event)); };
  }

  ArmResult run() {
    while (!state_.done() && !state_.ended()) {
      if (state_.interrupted()) {
        state_.end(Ending::interrupted);
        break;
      }
      training_.arrive(state_.step(), state_.epoch());
      state_.arrive([this] {
        const auto& state = training_.network().state(training_.now());
        return to_string(true_estimate(training_.platform(), workers_, state), workers_.size());
      });
      if (listeners_.step) {
        network_ = neighbours(training_.platform(), workers_, training_.network().state(training_.now()));
      }
      rebatch();
      const bool whole = play_round();
      if (state_.interrupted()) continue;
      if (!whole) {
        state_.note(training_.now(), {ReasonKind::none_left});
        state_.end(Ending::stopped_by_failure);
      }
      if (!loop_.diverged()) continue;
      state_.note(state_.now(), {ReasonKind::diverged, {Figure::count("step", state_.step())}});
      state_.end(Ending::diverged);
    }
    ArmResult result = state_.finish({}, loop_.label(), loop_.result());
    result.batch_changes = batches_.changes();
    result.batches = batches_.samples();
    result.merging = training_.merging();
    return result;
  }

 private:
  /// Lets the policy redistribute samples; workers that compute now finish with their own.
  void rebatch() {
    if (!batches_.decide(state_.step(), state_.epoch(), workers_)) return;
    training_.set_batches(batches_.samples());
    state_.note(state_.now(), batches_.reason());
  }

  /// As many gradients as there are workers, or sites.
  /// @returns whether there were so many; else they are not recorded
  bool play_round() {
    merged_ = false;
    StepRecord step;
    step.sent = netmodels::Bytes{};
    std::int64_t samples = 0;
    double loss = 0;
    double squared_norm = 0;
    double gains = 0;
    int known_gains = 0;
    const std::size_t gradients = training_.workers();
    for (std::size_t gradient = 0; gradient < gradients; ++gradient) {
      const std::optional<Push> next = training_.next(pace_listener_);
      if (!next) return false;
      const Push& push = *next;
      step.parts += push.parts;
      step.staleness = std::max(step.staleness, push.staleness);
      step.exchange_busy += push.busy.value_or(push.parts.exchange);
      *step.sent += push.sent;
      samples += push.samples;
      if (gradients == workers_.size()) {  // sites keep their batches
        batches_.learn(push.worker, push.samples, push.compute);
        loop_.set_batch(push.worker, push.samples);
      }
      const bool last = gradient + 1 == gradients;
      auto learning =
          loop_.push(push.worker, last ? after(step, push.at, samples) : std::optional<Progress>());
      if (!learning) continue;
      loss += learning->loss.value_or(0);  // every worker that can push knows it
      squared_norm += learning->squared_norm;
      if (learning->gain) {
        gains += *learning->gain;
        ++known_gains;
      }
      step.learning = learning;
    }
    if (step.learning) {
      step.learning->loss = loss / static_cast<double>(gradients);
      step.learning->squared_norm = squared_norm / static_cast<double>(gradients);
      if (known_gains > 0) step.learning->gain = gains / known_gains;
    }
    step.samples = samples;
    record(step, samples);
    return true;
  }

  void record(StepRecord& step, std::int64_t samples) {
    step.step = state_.step();
    step.epoch = state_.epoch();
    step.phase = state_.phase();
    step.start = state_.now();
    step.duration = training_.now() - state_.now();
    scale_parts(step);
    step.workers = present();
    *step.sent = *step.sent / static_cast<double>(step.workers);
    if (!exchanges_models_) step.exchange_busy = step.parts.exchange;
    step.traffic = traffic(*step.sent);
    if (step.traffic != Traffic::nothing) {
      step.collective = training_.exchange();
      step.ratio = sent_.ratio;
      step.method = sent_.method.name();
    }
    step.network = network_;
    state_.record(step, samples);
  }

  /// From the sum over all gradients to the mean worker's part in the round; those who are away wait.
  void scale_parts(StepRecord& step) const {
    const Seconds own = step.parts.total();
    if (own <= Seconds{}) return;
    const double away =
        1 - static_cast<double>(training_.present()) / static_cast<double>(training_.workers());
    step.parts = step.parts / (own / (step.duration * (1 - away)));
    step.parts.wait += step.duration * away;
  }

  /// Of the round that ends, in which so much was sent.
  [[nodiscard]] Traffic traffic(netmodels::Bytes sent) const {
    if (!exchanges_models_) return Traffic::gradients;
    return merged_ || sent > netmodels::Bytes{} ? Traffic::parameters : Traffic::nothing;
  }

  /// Workers of the cluster that are not away.
  [[nodiscard]] std::uint32_t present() const {
    return static_cast<std::uint32_t>(training_.present() * (workers_.size() / training_.workers()));
  }

  /// The position of the run at a time after this step.
  [[nodiscard]] Progress after(const StepRecord& step, Seconds at, std::int64_t samples) const {
    auto sent = state_.sent_by_all();
    if (sent) *sent += *step.sent;
    return {state_.step() + 1, state_.epoch_after(samples), at, sent, state_.done_after(1, samples)};
  }

  bool exchanges_models_;  ///< in place of gradients
  policies::CompressionChoice sent_;
  const Listeners& listeners_;
  OwnPace& training_;
  TrainingLoop loop_;
  BatchController batches_;
  RunState state_;
  std::vector<std::uint32_t> workers_;
  PaceListener pace_listener_;
  bool merged_ = false;                          ///< anything, in this round
  std::optional<netmodels::LinkState> network_;  ///< as the step began
};

}  // namespace

Result<ArmResult> simulate_asynchronously(const scenario::Scenario& scenario, const Listeners& listeners,
                                          TrainingLoop loop, ClusterCache& clusters) {
  if (merging_server_of(scenario.exchange.synchronisation)) {
    GRADSIM_TRY(training, Decoupled::make(scenario, clusters));
    return AsynchronousRun(scenario, listeners, **training, std::move(loop)).run();
  }
  GRADSIM_TRY(training, Asynchronous::make(scenario, clusters));
  return AsynchronousRun(scenario, listeners, **training, std::move(loop)).run();
}

}  // namespace sim::engine
