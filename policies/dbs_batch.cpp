// Samples and times of an epoch added up, then shared out anew.
#include "policies/dbs_batch.hpp"

#include <cmath>

#include "policies/batch_split.hpp"

namespace policies {

std::vector<double> DbsBatch::speeds(std::span<const WorkerObservation> workers) const {
  std::vector<double> speeds;
  for (const WorkerObservation& one : workers) {
    if (one.worker >= done_.size() || !(done_[one.worker].time > netmodels::Seconds{})) return {};
    speeds.push_back(done_[one.worker].samples / done_[one.worker].time.count);
  }
  return speeds;
}

std::optional<std::vector<int>> DbsBatch::decide(const BatchingObservation& seen) {
  const auto count = static_cast<double>(seen.workers.size());
  if (!mean_) mean_ = static_cast<double>(global_batch(seen.workers)) / count;
  for (const WorkerObservation& one : seen.workers) {
    if (!one.compute) continue;
    if (one.worker >= done_.size()) done_.resize(one.worker + std::size_t{1});
    done_[one.worker].samples += one.samples;
    done_[one.worker].time += *one.compute;
  }
  const double epoch = std::floor(seen.epoch);
  if (epoch <= epoch_) return std::nullopt;
  epoch_ = epoch;
  const std::vector<double> speeds = this->speeds(seen.workers);
  done_.clear();
  if (speeds.empty()) return std::nullopt;
  return if_changed(split_batch(std::llround(*mean_ * count), speeds, seen.workers, bounds_), seen.workers);
}

}  // namespace policies
