// Making policies, trying what they ask for.
#include "sim/engine/compressing.hpp"

#include <string>

#include "kernels/catalogue.hpp"
#include "policies/catalogue.hpp"

namespace sim::engine {
namespace {

using policies::CompressionChoice;
using policies::CompressionFactor;
using policies::CompressionPolicy;

/// A name that outlives every scenario.
std::string_view row_name(const std::string& method) { return (*kernels::find_wire_format(method))->name; }

policies::RatioSchedule schedule_of(const scenario::CompressionWarmUp& stated) {
  using Shape = policies::RatioSchedule::Shape;
  return {stated.shape == scenario::WarmUpShape::linear ? Shape::linear : Shape::exponential, stated.epochs};
}

std::unique_ptr<CompressionPolicy> make_gravac(const scenario::Compression& stated) {
  policies::Gravac::Settings settings;
  settings.method = row_name(stated.method);
  settings.least = CompressionFactor{stated.gravac.least_factor};
  settings.most = CompressionFactor{stated.gravac.most_factor};
  settings.gain_threshold = stated.gravac.gain;
  settings.tolerance = stated.gravac.tolerance;
  settings.window = stated.gravac.window;
  settings.scaling = stated.gravac.scaling == scenario::GravacScaling::exponential
                         ? policies::FactorScaling::exponential
                         : policies::FactorScaling::geometric;
  settings.as_printed = stated.gravac.as_printed;
  settings.charge_wasted_compression = !stated.gravac.as_printed;
  return policies::make_gravac(settings);
}

std::unique_ptr<CompressionPolicy> make_accordion(const scenario::Compression& stated) {
  const std::string_view method = row_name(stated.method);
  return policies::make_accordion({{method, stated.accordion.low_ratio},
                                   {method, stated.accordion.high_ratio},
                                   stated.accordion.threshold,
                                   stated.accordion.every_epochs});
}

std::unique_ptr<CompressionPolicy> make_accordion_per_step(const scenario::Compression& stated) {
  const std::string_view method = row_name(stated.method);
  return policies::make_accordion_per_step({{method, stated.accordion_per_step.low_ratio},
                                            {method, stated.accordion_per_step.high_ratio},
                                            stated.accordion_per_step.threshold,
                                            stated.accordion_per_step.smoothing});
}

std::unique_ptr<CompressionPolicy> make_scadles(const scenario::Compression& stated) {
  policies::ScadlesCompression::Settings settings;
  settings.compressed = {row_name(stated.method), stated.ratio};
  settings.loss_threshold = stated.scadles.threshold;
  return policies::make_scadles_compression(settings);
}

std::unique_ptr<CompressionPolicy> make_flexible(const scenario::Scenario& scenario) {
  const scenario::Flexible& stated = scenario.compression.flexible;
  policies::FlexibleCompression::Settings settings;
  settings.hysteresis = scenario.exchange.hysteresis;
  settings.candidates = stated.ratios;
  settings.warm_up = schedule_of(scenario.compression.warm_up);
  settings.explore_steps = stated.steps_each;
  settings.gain_change = stated.gain_change;
  settings.network_change = stated.network_change;
  settings.weights.time = stated.time_weight;
  settings.weights.inverse_gain = 1 - stated.time_weight;
  settings.solver = stated.solver == scenario::FrontSolver::exact ? policies::ParetoSolver::exact
                                                                  : policies::ParetoSolver::nsga2;
  settings.gain_trigger = stated.gain_trigger == scenario::GainTrigger::drift ? policies::GainTrigger::drift
                                                                              : policies::GainTrigger::step;
  settings.choice = stated.choice == scenario::RatioRule::fastest ? policies::RatioRule::fastest
                                                                  : policies::RatioRule::knee;
  settings.seed = static_cast<std::uint32_t>(scenario.seed);
  return policies::make_flexible_compression(settings);
}

/// The ratio that a policy begins with, and its method.
CompressionChoice first_choice(const scenario::Compression& stated) {
  const std::string_view method = row_name(stated.method);
  switch (stated.policy) {
    case scenario::CompressionPolicyName::gravac:
      return {method, CompressionFactor{stated.gravac.least_factor}.ratio()};
    case scenario::CompressionPolicyName::accordion: return {method, stated.accordion.low_ratio};
    case scenario::CompressionPolicyName::accordion_per_step:
      return {method, stated.accordion_per_step.low_ratio};
    case scenario::CompressionPolicyName::fixed:
    case scenario::CompressionPolicyName::scadles:
    case scenario::CompressionPolicyName::flexible: break;
  }
  return {method, stated.ratio};
}

std::unique_ptr<CompressionPolicy> after_warm_up(const scenario::Scenario& scenario) {
  switch (scenario.compression.policy) {
    case scenario::CompressionPolicyName::fixed:
      return policies::make_fixed_compression(first_choice(scenario.compression));
    case scenario::CompressionPolicyName::gravac: return make_gravac(scenario.compression);
    case scenario::CompressionPolicyName::accordion: return make_accordion(scenario.compression);
    case scenario::CompressionPolicyName::accordion_per_step:
      return make_accordion_per_step(scenario.compression);
    case scenario::CompressionPolicyName::scadles: return make_scadles(scenario.compression);
    case scenario::CompressionPolicyName::flexible: return make_flexible(scenario);
  }
  return nullptr;
}

/// Nothing where each step sends the same. The flexible policy warms up by itself: it chooses a method then,
/// too.
std::unique_ptr<CompressionPolicy> compression_policy_of(const scenario::Scenario& scenario) {
  const scenario::Compression& stated = scenario.compression;
  if (!scenario::decided_by_step(stated)) return nullptr;
  auto policy = after_warm_up(scenario);
  const bool alone = stated.warm_up.epochs == 0 || stated.policy == scenario::CompressionPolicyName::flexible;
  if (alone) return policy;
  return policies::with_warm_up(schedule_of(stated.warm_up), first_choice(stated), std::move(policy));
}

}  // namespace

Compressing::Compressing(const scenario::Scenario& scenario)
    : policy_(compression_policy_of(scenario)), values_(scenario.workload.parameters()) {}

void Compressing::begin(const Training& training, netmodels::Seconds now, double epoch, Course& course) {
  if (!policy_) return;
  plan_ = policy_->plan({steps_++, epoch, static_cast<std::uint32_t>(training.workers().size()), values_,
                         training.estimate(now)});
  if (plan_->experiment == under_way_) return;
  if (under_way_) course.return_to_checkpoint();
  if (plan_->experiment) course.set_checkpoint();
  under_way_ = plan_->experiment;
}

std::optional<ChosenCompression> Compressing::choose(Course& course) {
  if (!policy_) return std::nullopt;
  const auto gains = course.gains(plan_->trials);
  const auto sent = policy_->choose({gains});
  chosen_ = {sent ? plan_->trials[*sent] : CompressionChoice{}, plan_->trials};
  course.compress(chosen_->sent);
  return chosen_;
}

void Compressing::learn(const Training& training, const std::optional<LearningStep>& learned) {
  if (!policy_) return;
  const StepTimes& times = training.times();
  netmodels::Seconds compress;
  for (const netmodels::Seconds bucket : training.exchange().compute().compress) compress += bucket;
  policies::CompressionOutcome outcome;
  outcome.sent = chosen_->sent;
  if (learned) {
    outcome.gain = learned->gain;
    outcome.squared_norm = learned->squared_norm;
  }
  outcome.compute = times.parts.compute + times.parts.wait;
  outcome.compress = compress;
  outcome.exchange = times.exchange_busy;
  outcome.step = times.duration;
  outcome.samples = training.samples_per_step();
  policy_->learn(outcome);
}

}  // namespace sim::engine
