// Making policies, showing them workers.
#include "sim/engine/batching.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "policies/catalogue.hpp"

namespace sim::engine {
namespace {

using policies::BatchBounds;
using policies::BatchingPolicy;

/// What was stated for all, and what each worker's memory refuses.
BatchBounds bounds_of(const scenario::Scenario& scenario) {
  BatchBounds bounds{scenario.batching.least, scenario.batching.most, {}};
  for (const scenario::BatchLaw& law : scenario.compute.batch_laws) {
    if (!law.memory || law.beyond == scenario::BeyondMemory::slow) continue;
    bounds.most_of_worker.resize(static_cast<std::size_t>(scenario.cluster.workers));
    for (std::size_t worker = 0; worker < bounds.most_of_worker.size(); ++worker) {
      auto& most = bounds.most_of_worker[worker];
      if (holds_for(law, static_cast<int>(worker))) most = std::min(*law.memory, most.value_or(*law.memory));
    }
  }
  return bounds;
}

std::unique_ptr<BatchingPolicy> make_dynamic(const scenario::Scenario& scenario) {
  const scenario::Batching& stated = scenario.batching;
  policies::DynamicBatch::Settings settings;
  settings.bounds = bounds_of(scenario);
  settings.dead_band = stated.dead_band;
  settings.rule = stated.dead_band_of == scenario::DeadBandRule::each_worker ? policies::DeadBand::each_worker
                                                                             : policies::DeadBand::any_worker;
  settings.every = stated.every;
  settings.smoothing = stated.smoothing;
  settings.normalise = stated.normalise;
  settings.learn_most = stated.learn_most;
  settings.throughput_fall = stated.throughput_fall;
  settings.integral = stated.integral;
  settings.derivative = stated.derivative;
  return policies::make_dynamic_batch(settings);
}

std::unique_ptr<BatchingPolicy> batching_policy_of(const scenario::Scenario& scenario) {
  using scenario::BatchingPolicyName;
  const scenario::Batching& stated = scenario.batching;
  switch (stated.policy) {
    case BatchingPolicyName::uniform: return nullptr;
    case BatchingPolicyName::proportional: return policies::make_proportional_batch(bounds_of(scenario));
    case BatchingPolicyName::dynamic: return make_dynamic(scenario);
    case BatchingPolicyName::dbs: return policies::make_dbs_batch(bounds_of(scenario));
    case BatchingPolicyName::lb_bsp:
      return policies::make_lb_bsp_batch(
          {bounds_of(scenario), stated.every, stated.smoothing, stated.hysteresis});
    case BatchingPolicyName::stream_rate: return policies::make_stream_rate_batch(bounds_of(scenario));
  }
  return nullptr;
}

}  // namespace

Batching::Batching(const scenario::Scenario& scenario)
    : policy_(batching_policy_of(scenario)),
      stated_speeds_(scenario.cluster.cores.empty() ? scenario.cluster.speeds : scenario.cluster.cores),
      compute_(static_cast<std::size_t>(scenario.cluster.workers)) {
  for (std::uint32_t worker = 0; worker < compute_.size(); ++worker)
    samples_.push_back(batch_of(scenario.training, worker));
}

bool Batching::decide(std::int64_t step, double epoch, const std::vector<std::uint32_t>& workers,
                      const ArrivalRate& arriving) {
  if (!policy_) return false;
  seen_.clear();
  for (const std::uint32_t worker : workers) {
    seen_.push_back({worker, samples_[worker], compute_[worker],
                     stated_speeds_.empty() ? 1 : stated_speeds_[worker],
                     arriving ? std::optional(arriving(worker)) : std::nullopt});
  }
  const auto decided = policy_->decide({step, epoch, seen_});
  if (!decided) return false;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (samples_[workers[i]] == (*decided)[i]) continue;
    samples_[workers[i]] = (*decided)[i];
    compute_[workers[i]].reset();
  }
  if (step > 0) ++changes_;
  return true;
}

void Batching::learn(std::uint32_t worker, int samples, netmodels::Seconds compute) {
  if (samples == samples_[worker]) compute_[worker] = compute;
}

std::string Batching::text() const {
  constexpr std::size_t most_listed = 8;
  if (samples_.size() <= most_listed) return fmt::format("batches: {}", fmt::join(samples_, ", "));
  return fmt::format("batches: {} to {}", std::ranges::min(samples_), std::ranges::max(samples_));
}

}  // namespace sim::engine
