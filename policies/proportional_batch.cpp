// Stated speeds made into samples.
#include "policies/proportional_batch.hpp"

#include <cmath>

#include "policies/batch_split.hpp"

namespace policies {

std::optional<std::vector<int>> ProportionalBatch::decide(const BatchingObservation& seen) {
  if (workers_ == seen.workers.size()) return std::nullopt;
  workers_ = seen.workers.size();
  const auto count = static_cast<double>(workers_);
  if (!mean_) mean_ = static_cast<double>(global_batch(seen.workers)) / count;
  std::vector<double> speeds;
  for (const WorkerObservation& one : seen.workers) speeds.push_back(one.stated_speed);
  return if_changed(split_batch(std::llround(*mean_ * count), speeds, seen.workers, bounds_), seen.workers);
}

}  // namespace policies
