// Fits the model of a training's statistics.
#include "calibrate/fits/statistical.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace calibrate::fits {
namespace {

using netmodels::refuse;
using netmodels::Result;

using MethodKey = std::tuple<std::string, bool, double>;  // method, without error feedback, ratio

struct Mean {
  double sum = 0;
  int count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
};

std::vector<MethodPoint> points_of(const std::map<MethodKey, Mean>& means) {
  std::vector<MethodPoint> points;
  for (const auto& [key, mean] : means) {
    const auto& [method, is_raw, ratio] = key;
    points.push_back({method, !is_raw, ratio, mean.sum / mean.count, mean.count});
  }
  return points;
}

Result<double> steps_of(const TrainingRun& run, double target, StepsTo steps_to) {
  const auto steps = steps_to_target(run, target, steps_to);
  if (steps && *steps > 0) return *steps;
  if (steps) {
    return refuse(run.file, fmt::format("the target of {:.6g} was reached before the first step", target),
                  "raise --target, or leave this training out");
  }
  double best = 0;
  for (const TrainingRow& row : run.rows) best = std::max(best, row.metric.value_or(0));
  return refuse(
      run.file,
      fmt::format("the target of {:.6g} was not reached; the best evaluation is {:.6g}", target, best),
      "lower --target, or leave this training out");
}

std::vector<MethodPoint> gains_of(std::span<const TrainingRun> runs) {
  std::map<MethodKey, Mean> means;
  for (const TrainingRun& run : runs) {
    for (const MeasuredGain& gain : run.gains)
      means[{gain.method, !gain.error_feedback, gain.ratio}].add(gain.gain);
  }
  return points_of(means);
}

/// Steps without compression: as measured at this batch, or else S(B).
double steps_without(const BatchFit& fit, double batch) {
  Mean same_batch;
  for (const BatchError& row : fit.rows) {
    if (row.measured.batch == batch) same_batch.add(row.measured.steps);
  }
  return same_batch.count > 0 ? same_batch.sum / same_batch.count : steps_at(fit.law, batch);
}

Result<std::vector<MethodPoint>> slowdowns_of(std::span<const TrainingRun> runs, const StatisticalFit& fit) {
  std::map<MethodKey, Mean> means;
  for (const TrainingRun& run : runs) {
    if (!run.is_compressed()) continue;
    GRADSIM_TRY(steps, steps_of(run, fit.target, fit.steps_to));
    means[{run.method, !run.error_feedback, run.ratio}].add(*steps / steps_without(fit.batches, run.batch));
  }
  return points_of(means);
}

}  // namespace

Result<StatisticalFit> fit_statistical(std::span<const TrainingRun> runs, double target, StepsTo steps_to) {
  std::vector<TrainingRun> plain;
  std::vector<BatchSteps> measured;
  for (const TrainingRun& run : runs) {
    if (run.is_compressed()) continue;
    GRADSIM_TRY(steps, steps_of(run, target, steps_to));
    measured.push_back({run.batch, *steps});
    plain.push_back(run);
  }
  if (measured.empty())
    return refuse("", "every training is compressed", "add trainings without compression at two batches");
  GRADSIM_TRY(batches, fit_batches(std::move(measured)));
  StatisticalFit fit{target, steps_to, std::move(*batches), {}, gains_of(runs), {}};
  fit.progress = fit_progress(plain, fit.batches.law);
  GRADSIM_TRY(slowdowns, slowdowns_of(runs, fit));
  fit.slowdowns = std::move(*slowdowns);
  return fit;
}

}  // namespace calibrate::fits
