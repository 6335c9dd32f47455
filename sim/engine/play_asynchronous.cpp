// Gathering gradients into steps that can be compared with those of workers that wait.
#include "sim/engine/play_asynchronous.hpp"

#include <algorithm>
#include <numeric>

#include "sim/engine/asynchronous.hpp"
#include "sim/engine/batching.hpp"
#include "sim/engine/ledger.hpp"
#include "sim/engine/network_probe.hpp"

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

namespace {

constexpr std::string_view collective = "push and pull";

/// One run from the first gradient to the last.
class AsynchronousRun {
 public:
  AsynchronousRun(const scenario::Scenario& scenario, const Listeners& listeners, Asynchronous& training,
                  Course course)
      : scenario_(scenario),
        listeners_(listeners),
        training_(training),
        course_(std::move(course)),
        batching_(scenario),
        ledger_(scenario, listeners),
        workers_(static_cast<std::size_t>(scenario.cluster.workers)) {
    std::iota(workers_.begin(), workers_.end(), 0U);
  }

  ArmResult run() {
    while (!ledger_.done()) {
      if (ledger_.interrupted()) {
        ledger_.end(Ending::interrupted);
        break;
      }
      training_.arrive(ledger_.step(), ledger_.epoch());
      ledger_.arrive([this] {
        const auto& state = training_.network().state(training_.now());
        return to_string(true_estimate(training_.platform(), workers_, state), workers_.size());
      });
      if (listeners_.step) {
        network_ = neighbours(training_.platform(), workers_, training_.network().state(training_.now()));
      }
      rebatch();
      play_round();
    }
    ArmResult result = ledger_.finish({}, course_.label(), course_.result());
    result.batch_changes = batching_.changes();
    result.batches = batching_.samples();
    return result;
  }

 private:
  /// Lets the policy share samples out anew; who computes now ends with those it has.
  void rebatch() {
    if (!batching_.decide(ledger_.step(), ledger_.epoch(), workers_)) return;
    training_.set_batches(batching_.samples());
    ledger_.note(ledger_.now(), batching_.text());
  }

  /// As many gradients as there are workers.
  void play_round() {
    const auto pulled = [this](std::uint32_t worker) { course_.pull(worker); };
    StepRecord step;
    step.sent = netmodels::Bytes{};
    std::int64_t samples = 0;
    double loss = 0;
    double squared_norm = 0;
    for (std::size_t gradient = 0; gradient < workers_.size(); ++gradient) {
      const Push push = training_.next(pulled);
      step.parts += push.parts;
      step.staleness = std::max(step.staleness, push.staleness);
      *step.sent += push.sent / static_cast<double>(workers_.size());
      samples += push.samples;
      batching_.learn(push.worker, push.samples, push.compute);
      course_.set_batch(push.worker, push.samples);
      const bool last = gradient + 1 == workers_.size();
      auto learning =
          course_.push(push.worker, last ? after(step, push.at, samples) : std::optional<Progress>());
      if (!learning) continue;
      loss += learning->loss.value_or(0);  // whoever can push knows it
      squared_norm += learning->squared_norm;
      step.learning = learning;
    }
    if (step.learning) {
      step.learning->loss = loss / static_cast<double>(workers_.size());
      step.learning->squared_norm = squared_norm / static_cast<double>(workers_.size());
    }
    step.samples = samples;
    record(step, samples);
  }

  void record(StepRecord& step, std::int64_t samples) {
    step.step = ledger_.step();
    step.epoch = ledger_.epoch();
    step.phase = ledger_.phase();
    step.start = ledger_.now();
    step.duration = training_.now() - ledger_.now();
    const Seconds own = step.parts.total();
    if (own > Seconds{}) step.parts = step.parts / (own / step.duration);
    step.exchange_busy = step.parts.exchange;
    step.workers = static_cast<std::uint32_t>(workers_.size());
    step.collective = collective;
    step.ratio = scenario_.compression.ratio;
    step.method = scenario_.compression.method;
    step.network = network_;
    ledger_.record(step, samples);
  }

  /// Where the run stands at a time once this step is made.
  [[nodiscard]] Progress after(const StepRecord& step, Seconds at, std::int64_t samples) const {
    auto sent = ledger_.sent_by_all();
    if (sent) *sent += *step.sent * static_cast<double>(workers_.size());
    return {ledger_.step() + 1, ledger_.epoch_after(samples), at, sent, ledger_.done_after(1, samples)};
  }

  const scenario::Scenario& scenario_;
  const Listeners& listeners_;
  Asynchronous& training_;
  Course course_;
  Batching batching_;
  Ledger ledger_;
  std::vector<std::uint32_t> workers_;
  std::optional<netmodels::LinkState> network_;  ///< as the step began
};

}  // namespace

Result<ArmResult> play_asynchronously(const scenario::Scenario& scenario, const Listeners& listeners,
                                      Course course, ClusterCache& clusters) {
  auto training = Asynchronous::make(scenario, clusters);
  if (!training) return tl::unexpected(training.error());
  return AsynchronousRun(scenario, listeners, **training, std::move(course)).run();
}

}  // namespace sim::engine
