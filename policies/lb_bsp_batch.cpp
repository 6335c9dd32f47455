// Predicting by exponential average.
#include "policies/lb_bsp_batch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "policies/batch_split.hpp"
#include "settings/type.hpp"

namespace policies {

LbBspBatch::LbBspBatch(const Settings& settings, BatchBounds bounds)
    : settings_(settings), bounds_(std::move(bounds)) {}

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
  std::vector<int> samples = split_batch(std::llround(*mean_ * count), predicted, seen.workers, bounds_);
  bool moved = false;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const int before = seen.workers[i].samples;
    moved = moved || std::abs(samples[i] - before) > settings_.hysteresis * std::max(samples[i], before);
  }
  return moved ? std::optional(std::move(samples)) : std::nullopt;
}

void describe(settings::Fields& fields, LbBspBatch::Settings& settings) {
  describe(fields, settings.changes);
  describe_looks(fields, settings.every, settings.smoothing);
  fields.field({.name = "hysteresis",
                .doc = "Dead-band: relative change of a batch up to which nothing is done.",
                .fallback = "5 %",
                .bounds = settings::between(0, 100),
                .share = true},
               settings.hysteresis);
}

}  // namespace policies
