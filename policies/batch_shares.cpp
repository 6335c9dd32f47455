// The rules by which workers share the batch.
#include "policies/batch_shares.hpp"

#include <algorithm>
#include <cmath>

#include "policies/batch_split.hpp"

namespace policies {

// Stated speeds made into samples.

std::optional<std::vector<int>> ProportionalBatch::decide(const BatchingObservation& seen) {
  if (workers_ == seen.workers.size()) return std::nullopt;
  workers_ = seen.workers.size();
  const auto count = static_cast<double>(workers_);
  if (!mean_) mean_ = static_cast<double>(global_batch(seen.workers)) / count;
  std::vector<double> speeds;
  for (const WorkerObservation& one : seen.workers) speeds.push_back(one.stated_speed);
  return if_changed(split_batch(std::llround(*mean_ * count), speeds, seen.workers, bounds_), seen.workers);
}

// Rates of streams made into samples.

std::optional<std::vector<int>> StreamRateBatch::decide(const BatchingObservation& seen) {
  const auto wanted = [&](const WorkerObservation& one) {
    return one.arriving ? bounded_batch(*one.arriving, one.worker, bounds_) : one.samples;
  };
  if (std::ranges::all_of(seen.workers, [&](const auto& one) { return wanted(one) == one.samples; }))
    return std::nullopt;
  std::vector<int> samples;
  for (const WorkerObservation& one : seen.workers) samples.push_back(wanted(one));
  return samples;
}

void describe(settings::Fields& fields, StreamRateBatch::Settings& settings) {
  describe_changes(fields, settings.changes, StreamRateBatch::Settings{}.changes);
}

// Samples and times of an epoch added up, then shared out anew.

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
