// Speeds, jitter and slow-downs made into factors.
#include "sim/engine/stragglers.hpp"

#include <algorithm>
#include <cmath>

#include "sim/engine/random.hpp"
#include "sim/scenario/replicas.hpp"

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

Stragglers::Stragglers(const scenario::Work& work, const scenario::Cluster& cluster,
                       const scenario::Stated& stated, std::uint64_t seed)
    : workload_(work.workload),
      stated_batch_(work.training.batch),
      laws_(work.compute.batch_limits),
      speed_changes_(cluster.speed_changes),
      speeds_(cluster.speeds),
      batches_(work.training.batches),
      nominal_(static_cast<std::size_t>(cluster.workers), 1.0),
      slowdowns_(work.compute.slowdowns),
      jitter_(work.compute.jitter),
      seed_(seed) {
  if (const auto& replica = work.workload.replica) {
    if (const auto& all = stated.cluster)
      gpus_ = scenario::gpus_of_replicas(all->workers, cluster.workers, work.parallelism.inside());
    gpu_speeds_ = scenario::cluster_as_stated(stated, cluster).speeds;
    computing_ = 1 - replica->exchanges.at(stated_batch_) / workload_.compute(stated_batch_);
  }
  join_factors();
}

netmodels::Seconds Stragglers::time_of(std::uint32_t worker, int samples) const {
  netmodels::Seconds time = workload_.compute(samples);
  for (const scenario::BatchLimits& law : laws_) {
    if (!holds_for(law, static_cast<int>(worker))) continue;
    if (samples < law.knee) time = workload_.compute(law.knee);
    if (law.memory && samples > *law.memory)
      time += (law.slowdown - 1) * (workload_.compute(samples) - workload_.compute(*law.memory));
  }
  return time;
}

void Stragglers::join_factors() {
  const netmodels::Seconds stated = workload_.compute(stated_batch_);
  const bool as_stated = (batches_.empty() && laws_.empty()) || stated == netmodels::Seconds{};
  for (std::uint32_t worker = 0; worker < nominal_.size(); ++worker) {
    nominal_[worker] = speeds_.empty() ? 1 : 1 / speeds_[worker];
    if (as_stated) continue;
    nominal_[worker] *= time_of(worker, batches_.empty() ? stated_batch_ : batches_[worker]) / stated;
  }
}

void Stragglers::set_batches(const std::vector<int>& samples) {
  batches_ = samples;
  join_factors();
}

void Stragglers::arrive(netmodels::Seconds now, std::int64_t step, double epoch) {
  const scenario::SpeedChange* latest = nullptr;
  for (const scenario::SpeedChange& change : speed_changes_) {
    if (has_come(change.at, now, step, epoch)) latest = &change;
  }
  if (latest == nullptr || latest->speeds == speeds_) return;
  speeds_ = latest->speeds;
  join_factors();
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
    if (gpus_.empty())
      factor *= disturbance(step, now, workers[rank]);
    else
      factor = replica_factor(step, now, workers[rank]);
  }
  summarise(result);
}

double Stragglers::disturbance(std::int64_t step, netmodels::Seconds now, std::uint32_t worker) const {
  double factor = jitter(step, worker);
  for (const scenario::Slowdown& slow : slowdowns_) {
    const bool applies = static_cast<std::uint32_t>(slow.worker) == worker && now >= slow.at &&
                         (!slow.until || now < *slow.until);
    if (applies) factor *= slow.factor;
  }
  return factor;
}

double Stragglers::replica_factor(std::int64_t step, netmodels::Seconds now, std::uint32_t replica) const {
  double slowest = 0;
  for (const std::uint32_t gpu : gpus_[replica])
    slowest = std::max(slowest, disturbance(step, now, gpu) / (gpu_speeds_.empty() ? 1 : gpu_speeds_[gpu]));
  return computing_ * slowest + (1 - computing_);
}

void Stragglers::nominal(const std::vector<std::uint32_t>& workers, SlowFactors& result) const {
  result.of_worker.resize(workers.size());
  for (std::size_t rank = 0; rank < workers.size(); ++rank) result.of_worker[rank] = nominal_[workers[rank]];
  summarise(result);
}

}  // namespace sim::engine
