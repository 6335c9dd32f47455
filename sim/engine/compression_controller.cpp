// Asks the compression policy, and computes the benefit of compression.
#include "sim/engine/compression_controller.hpp"

#include <string>
#include <vector>

#include "kernels/catalogue.hpp"
#include "policies/compression_row.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/engine/step_simulator.hpp"

namespace sim::engine {

// Simulates the same step dense and compressed.

namespace {

using netmodels::Result;
using policies::CompressionChoice;

Result<netmodels::StepTimes> step_with(StepSimulator& simulator, const CompressionChoice& choice,
                                       netmodels::Seconds now, std::int64_t step) {
  const StepAction action{Traffic::gradients, ChosenCompression{choice, {choice}}};
  GRADSIM_TRY(played, simulator.step(now, step, false, action));
  netmodels::StepTimes times = simulator.times();
  simulator.abandon_step();
  return times;
}

/// The compression that is compared with the dense gradient.
std::vector<CompressionChoice> choices_of(const scenario::Compression& stated) {
  constexpr double example = 0.01;
  if (!stated.compresses()) return {{"topk", example}, {"ar_topk", example}};
  return {stated.stated()};
}

}  // namespace

Result<std::optional<CompressionWorth>> compression_worth(StepSimulator& simulator, netmodels::Seconds now,
                                                          std::int64_t step) {
  if (simulator.workers().size() < 2) return std::nullopt;
  const StepSettings& settings = simulator.settings();
  GRADSIM_TRY(dense, step_with(simulator, {}, now, step));
  std::optional<CompressionWorth> best;
  for (const CompressionChoice& choice : choices_of(settings.compression)) {
    GRADSIM_TRY(compressed, step_with(simulator, choice, now, step));
    if (best && best->compressed <= compressed->duration) continue;
    best = CompressionWorth{choice,
                            settings.compression.compresses(),
                            dense->duration,
                            compressed->duration,
                            compressed->parts.compress,
                            dense->parts.exchange - compressed->parts.exchange,
                            dense->parts.compute + dense->parts.wait,
                            settings.costs.level(choice.method)};
  }
  return best;
}

// Makes policies, runs their trials.

namespace {

using policies::CompressionChoice;
using policies::CompressionPolicy;

}  // namespace

CompressionController::CompressionController(const scenario::Compression& stated, double hysteresis,
                                             std::uint64_t seed, std::int64_t values)
    : policy_(policies::make_policy(stated.policy, {.stated = stated.stated(),
                                                    .warm_up = stated.warm_up,
                                                    .hysteresis = hysteresis,
                                                    .seed = static_cast<std::uint32_t>(seed)})),
      values_(values) {}

void CompressionController::begin(const StepSimulator& simulator, netmodels::Seconds now, std::int64_t done,
                                  double epoch, TrainingLoop& loop) {
  if (!policy_) return;
  plan_ = policy_->plan({steps_++, epoch, static_cast<std::uint32_t>(simulator.workers().size()), values_,
                         simulator.estimate(now), done});
  if (plan_->experiment == under_way_) return;
  if (under_way_) loop.return_to_checkpoint();
  if (plan_->experiment) loop.set_checkpoint();
  under_way_ = plan_->experiment;
}

std::optional<ChosenCompression> CompressionController::choose(TrainingLoop& loop) {
  if (!policy_) return std::nullopt;
  const auto gains = loop.gains(plan_->trials);
  const auto sent = policy_->choose({gains});
  chosen_ = {sent ? plan_->trials[*sent] : CompressionChoice{}, plan_->trials};
  loop.compress(chosen_->sent);
  return chosen_;
}

void CompressionController::learn(const StepSimulator& simulator,
                                  const std::optional<LearningStep>& learned) {
  if (!policy_) return;
  const netmodels::StepTimes& times = simulator.times();
  const netmodels::StepGraph& graph = simulator.plan().graph();
  policies::CompressionOutcome outcome;
  outcome.sent = chosen_->sent;
  if (learned) {
    outcome.gain = learned->gain;
    outcome.squared_norm = learned->squared_norm;
  }
  outcome.compute = times.parts.compute + times.parts.wait;
  outcome.compress = graph.total("compress") + graph.total("restore");
  outcome.exchange = times.exchange_busy;
  outcome.step = times.duration;
  outcome.samples = simulator.samples_per_step();
  policy_->learn(outcome);
}

}  // namespace sim::engine
