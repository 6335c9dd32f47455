// Making policies, showing them workers.
#include "sim/engine/batch_controller.hpp"

#include <algorithm>

#include "policies/batching_row.hpp"

namespace sim::engine {
namespace {

/// The batches that do not fit each worker's memory.
std::vector<std::optional<int>> memory_of(const std::vector<scenario::BatchLimits>& limits, int workers) {
  std::vector<std::optional<int>> most_of_worker;
  for (const scenario::BatchLimits& law : limits) {
    if (!law.memory || law.beyond == scenario::BeyondMemory::slow) continue;
    most_of_worker.resize(static_cast<std::size_t>(workers));
    for (std::size_t worker = 0; worker < most_of_worker.size(); ++worker) {
      auto& most = most_of_worker[worker];
      if (holds_for(law, static_cast<int>(worker))) most = std::min(*law.memory, most.value_or(*law.memory));
    }
  }
  return most_of_worker;
}

}  // namespace

BatchController::BatchController(const policies::BatchingChoice& policy, const scenario::Cluster& cluster,
                                 const scenario::Training& training,
                                 const std::vector<scenario::BatchLimits>& limits)
    : policy_(policies::make_policy(policy, memory_of(limits, cluster.workers))),
      stated_speeds_(cluster.cores.empty() ? cluster.speeds : cluster.cores),
      compute_(static_cast<std::size_t>(cluster.workers)) {
  for (std::uint32_t worker = 0; worker < compute_.size(); ++worker)
    samples_.push_back(batch_of(training, worker));
}

bool BatchController::decide(std::int64_t step, double epoch, const std::vector<std::uint32_t>& workers,
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

void BatchController::learn(std::uint32_t worker, int samples, netmodels::Seconds compute) {
  if (samples == samples_[worker]) compute_[worker] = compute;
}

Reason BatchController::reason() const {
  constexpr std::size_t most_listed = 8;
  if (samples_.size() <= most_listed) return {ReasonKind::batches, {Figure::list("batches", samples_)}};
  const auto [least, most] = std::ranges::minmax(samples_);
  return {ReasonKind::batch_range, {Figure::count("least", least), Figure::count("most", most)}};
}

}  // namespace sim::engine
