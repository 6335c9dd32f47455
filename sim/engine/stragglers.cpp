// Speeds, jitter and slow-downs made into factors.
#include "sim/engine/stragglers.hpp"

#include <algorithm>
#include <cmath>

#include "sim/engine/random.hpp"

namespace sim::engine {
namespace {

void summarise(SlowFactors& factors) {
  double sum = 0;
  factors.slowest = 0;
  for (const double factor : factors.of_worker) {
    sum += factor;
    factors.slowest = std::max(factors.slowest, factor);
  }
  factors.mean = sum / static_cast<double>(factors.of_worker.size());
}

}  // namespace

Stragglers::Stragglers(const scenario::Scenario& scenario)
    : nominal_(static_cast<std::size_t>(scenario.cluster.workers), 1.0),
      slowdowns_(scenario.compute.slowdowns),
      jitter_(scenario.compute.jitter),
      seed_(scenario.seed) {
  for (std::size_t worker = 0; worker < scenario.cluster.speeds.size(); ++worker) {
    nominal_[worker] = 1 / scenario.cluster.speeds[worker];
  }
  const netmodels::Seconds stated = scenario.workload.compute(scenario.training.batch);
  if (stated == netmodels::Seconds{}) return;
  for (std::size_t worker = 0; worker < scenario.training.batches.size(); ++worker) {
    nominal_[worker] *= scenario.workload.compute(scenario.training.batches[worker]) / stated;
  }
}

double Stragglers::jitter(std::int64_t step, std::uint32_t worker) const {
  if (jitter_.kind == scenario::JitterKind::none) return 1;
  Draw draw(seed_, Stream::jitter, static_cast<std::uint64_t>(step), worker);
  if (jitter_.kind == scenario::JitterKind::exponential) return 1 + jitter_.scale * draw.exponential();
  return std::exp(jitter_.sigma * draw.normal() - jitter_.sigma * jitter_.sigma / 2);  // mean 1
}

void Stragglers::factors(std::int64_t step, netmodels::Seconds now, const std::vector<std::uint32_t>& workers,
                         SlowFactors& result) const {
  nominal(workers, result);
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    double& factor = result.of_worker[rank];
    factor *= jitter(step, workers[rank]);
    for (const scenario::Slowdown& slow : slowdowns_) {
      const bool applies = static_cast<std::uint32_t>(slow.worker) == workers[rank] && now >= slow.at &&
                           (!slow.until || now < *slow.until);
      if (applies) factor *= slow.factor;
    }
  }
  summarise(result);
}

void Stragglers::nominal(const std::vector<std::uint32_t>& workers, SlowFactors& result) const {
  result.of_worker.resize(workers.size());
  for (std::size_t rank = 0; rank < workers.size(); ++rank) result.of_worker[rank] = nominal_[workers[rank]];
  summarise(result);
}

}  // namespace sim::engine
