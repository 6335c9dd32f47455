// Smoothing times, finding errors, moving samples.
#include "policies/dynamic_batch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "policies/batch_split.hpp"
#include "settings/type.hpp"

namespace policies {

DynamicBatch::DynamicBatch(const Settings& settings, BatchBounds bounds)
    : settings_(settings), bounds_(std::move(bounds)) {}

bool DynamicBatch::take_in(const BatchingObservation& seen) {
  bool all = true;
  for (const WorkerObservation& one : seen.workers) {
    if (one.worker >= workers_.size()) workers_.resize(one.worker + std::size_t{1});
    MovingAverage& time = workers_[one.worker].time;
    if (one.compute && *one.compute > netmodels::Seconds{}) time.add(one.compute->count, settings_.smoothing);
    all = all && time.value();
  }
  return all;
}

void DynamicBatch::learn_bounds(const BatchingObservation& seen) {
  for (const WorkerObservation& one : seen.workers) {
    const auto grown = std::exchange(workers_[one.worker].grown, std::nullopt);
    if (!grown || one.samples <= grown->samples) continue;
    const double throughput = one.samples / time_of(one);
    if (throughput >= grown->throughput * (1 - settings_.throughput_fall)) continue;
    auto& bounds = bounds_.most_of_worker;
    if (one.worker >= bounds.size()) bounds.resize(one.worker + std::size_t{1});
    bounds[one.worker] = std::min(grown->samples, bounds[one.worker].value_or(grown->samples));
  }
}

std::vector<double> DynamicBatch::wanted(const BatchingObservation& seen) {
  double mean = 0;
  for (const WorkerObservation& one : seen.workers) mean += time_of(one);
  mean /= static_cast<double>(seen.workers.size());
  std::vector<double> wanted;
  for (const WorkerObservation& one : seen.workers) {
    Worker& worker = workers_[one.worker];
    const double error = time_of(one) - mean;
    worker.error_sum += error;
    const double change = error - worker.error_before.value_or(error);
    worker.error_before = error;
    const double acted = error + settings_.integral * worker.error_sum + settings_.derivative * change;
    const double moved = one.samples - one.samples / time_of(one) * acted;
    wanted.push_back(std::max(moved, static_cast<double>(bounds_.least)));
  }
  return wanted;
}

bool DynamicBatch::pass_dead_band(const BatchingObservation& seen, std::vector<double>& wanted) const {
  bool any = false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const WorkerObservation& one = seen.workers[i];
    const bool each = settings_.dead_band_of == DeadBand::each_worker;
    const double change = std::abs(wanted[i] - one.samples) / (each ? wanted[i] : one.samples);
    const bool barred = one.samples > bounds_.most_for(one.worker).value_or(one.samples);
    if (barred || change > settings_.dead_band)
      any = true;
    else if (each)
      wanted[i] = one.samples;
  }
  return any;
}

std::vector<int> DynamicBatch::rounded(const BatchingObservation& seen,
                                       const std::vector<double>& wanted) const {
  if (settings_.normalise) {
    const std::int64_t total = std::llround(*mean_ * static_cast<double>(seen.workers.size()));
    return split_batch(total, wanted, seen.workers, bounds_);
  }
  std::vector<int> samples;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    samples.push_back(bounded_batch(wanted[i], seen.workers[i].worker, bounds_));
  return samples;
}

void DynamicBatch::begin_anew(const BatchingObservation& seen, const std::vector<int>& samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const WorkerObservation& one = seen.workers[i];
    if (settings_.learn_max && samples[i] > one.samples)
      workers_[one.worker].grown = Grown{one.samples, one.samples / time_of(one)};
  }
  for (Worker& worker : workers_) worker.time = {};
}

std::optional<std::vector<int>> DynamicBatch::decide(const BatchingObservation& seen) {
  if (!mean_)
    mean_ = static_cast<double>(global_batch(seen.workers)) / static_cast<double>(seen.workers.size());
  if (!take_in(seen) || ++since_look_ < settings_.every) return std::nullopt;
  since_look_ = 0;
  learn_bounds(seen);
  std::vector<double> wanted = this->wanted(seen);
  if (!pass_dead_band(seen, wanted)) return std::nullopt;
  auto samples = if_changed(rounded(seen, wanted), seen.workers);
  if (samples) begin_anew(seen, *samples);
  return samples;
}

void describe(settings::Fields& fields, DynamicBatch::Settings& settings) {
  describe(fields, settings.changes);
  describe_looks(fields, settings.every, settings.smoothing);
  fields.field({.name = "dead_band",
                .doc = "Dead-band: relative change of a batch up to which nothing is done (paper 5 %, "
                       "OmniLearn's code 20 %).",
                .fallback = "5 %",
                .bounds = settings::between(0, 100),
                .share = true},
               settings.dead_band);
  fields.field(
      {.name = "dead_band_of",
       .doc = "Whether all batches change when any leaves the dead-band, or only those that leave it.",
       .fallback = "any_worker"},
      settings.dead_band_of);
  fields.field({.name = "normalise",
                .doc = "Whether the global batch is kept constant; the published rule does not.",
                .fallback = "true"},
               settings.normalise);
  fields.field({.name = "learn_max",
                .doc = "Whether a batch is bounded when throughput fell after it had grown.",
                .fallback = "true",
                .former = "learn_most"},
               settings.learn_max);
  fields.field({.name = "throughput_fall",
                .doc = "Relative fall of throughput that counts as a fall.",
                .fallback = "5 %",
                .bounds = settings::from_to_below(0, 1),
                .share = true},
               settings.throughput_fall);
  fields.field({.name = "integral",
                .doc = "Gain on the sum of errors.",
                .fallback = "0",
                .bounds = settings::between(0, 100)},
               settings.integral);
  fields.field({.name = "derivative",
                .doc = "Gain on the change of the error.",
                .fallback = "0",
                .bounds = settings::between(0, 100)},
               settings.derivative);
}

}  // namespace policies
