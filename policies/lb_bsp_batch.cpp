// Predicting by exponential average.
#include "policies/lb_bsp_batch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "policies/batch_split.hpp"

namespace policies {

LbBspBatch::LbBspBatch(Settings settings) : settings_(std::move(settings)) {}

std::optional<std::vector<int>> LbBspBatch::decide(const BatchingObservation& seen) {
  const auto count = static_cast<double>(seen.workers.size());
  if (!mean_) mean_ = static_cast<double>(global_batch(seen.workers)) / count;
  std::vector<double> predicted;
  for (const WorkerObservation& one : seen.workers) {
    if (one.worker >= speeds_.size()) speeds_.resize(one.worker + std::size_t{1});
    MovingAverage& speed = speeds_[one.worker];
    if (one.compute && *one.compute > netmodels::Seconds{})
      speed.add(one.samples / one.compute->count, settings_.smoothing);
    if (speed.value()) predicted.push_back(*speed.value());
  }
  const bool known = predicted.size() == seen.workers.size();
  if (!known || seen.step % settings_.every != 0) return std::nullopt;
  std::vector<int> samples =
      split_batch(std::llround(*mean_ * count), predicted, seen.workers, settings_.bounds);
  bool moved = false;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const int before = seen.workers[i].samples;
    moved = moved || std::abs(samples[i] - before) > settings_.hysteresis * std::max(samples[i], before);
  }
  return moved ? std::optional(std::move(samples)) : std::nullopt;
}

}  // namespace policies
