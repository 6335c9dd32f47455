// Progress of trainings, and quantities over progress.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "calibrate/fits/statistical.hpp"
#include "netmodels/monotone_regression.hpp"

namespace calibrate::fits {
namespace {

using Quantity = std::optional<double> TrainingRow::*;
using Progresses = std::vector<std::vector<double>>;  // progress of each run's rows

constexpr int points_to_one = 40;  // points of a curve from 0 to 1, evenly spaced
constexpr int most_points = 4000;  // a hundred times the way to the target

double value_at(const ProgressCurve& curve, double progress) {
  const auto above = std::ranges::lower_bound(curve, progress, {}, &ProgressPoint::progress);
  if (above == curve.begin()) return curve.front().value;
  if (above == curve.end()) return curve.back().value;
  const ProgressPoint& below = *(above - 1);
  return below.value +
         (above->value - below.value) * (progress - below.progress) / (above->progress - below.progress);
}

/// Mean of the straight pieces, the outermost values going on to 0 and 1.
double mean_to_one(const ProgressCurve& curve) {
  double sum = 0;
  ProgressPoint last{0, value_at(curve, 0)};
  const auto add = [&](const ProgressPoint& next) {
    sum += (next.progress - last.progress) * (next.value + last.value) / 2;
    last = next;
  };
  for (const ProgressPoint& point : curve) {
    if (point.progress > 0 && point.progress < 1) add(point);
  }
  add({1, value_at(curve, 1)});
  return sum;
}

/// The progress of each row of a run.
/// @param growth  relative to its mean; none: 1
std::vector<double> progress_of(const TrainingRun& run, const BatchLimits& law, const ProgressCurve& growth) {
  constexpr int pieces = 8;  // parts of the steps between two rows, each with the growth that it begins with
  std::vector<double> progresses;
  double progress = 0;
  double step = 0;
  for (const TrainingRow& row : run.rows) {
    const double steps = (row.step - step) / pieces;
    for (int piece = 0; piece < pieces; ++piece) {
      const double grown = growth.empty() ? 1 : value_at(growth, progress);
      progress += steps / (law.least_steps * (1 + law.critical_batch * grown / run.batch));
    }
    step = row.step;
    progresses.push_back(progress);
  }
  return progresses;
}

Progresses progress_of(std::span<const TrainingRun> runs, const BatchLimits& law,
                       const ProgressCurve& growth) {
  Progresses progresses;
  for (const TrainingRun& run : runs) progresses.push_back(progress_of(run, law, growth));
  return progresses;
}

/// The rows of one run in which a quantity was measured.
ProgressCurve measured(const TrainingRun& run, const std::vector<double>& progresses, Quantity quantity) {
  ProgressCurve curve;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const auto& value = run.rows[i].*quantity;
    if (value && (curve.empty() || progresses[i] > curve.back().progress))
      curve.push_back({progresses[i], *value});
  }
  return curve;
}

/// Mean over the runs at evenly spaced progress; each run counts where it was measured.
/// @param geometric  of logarithms: values are above 0
ProgressCurve mean_curve(std::span<const TrainingRun> runs, const Progresses& progresses, Quantity quantity,
                         bool geometric) {
  std::vector<ProgressCurve> curves;
  double last = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ProgressCurve curve = measured(runs[i], progresses[i], quantity);
    if (curve.empty()) continue;
    last = std::max(last, curve.back().progress);
    curves.push_back(std::move(curve));
  }
  ProgressCurve mean;
  for (int i = 0; i < most_points; ++i) {
    const double progress = static_cast<double>(i) / points_to_one;
    if (progress > last) break;
    double sum = 0;
    int count = 0;
    for (const ProgressCurve& curve : curves) {
      if (progress < curve.front().progress || progress > curve.back().progress) continue;
      const double value = value_at(curve, progress);
      sum += geometric ? std::log(value) : value;
      ++count;
    }
    if (count == 0) continue;
    mean.push_back({progress, geometric ? std::exp(sum / count) : sum / count});
  }
  return mean;
}

/// Noise scale over its mean; none where it was not measured.
ProgressCurve growth_of(const ProgressCurve& noise_scale) {
  ProgressCurve growth = noise_scale;
  if (growth.empty()) return growth;
  const double mean = mean_to_one(noise_scale);
  for (ProgressPoint& point : growth) point.value /= mean;
  return growth;
}

double largest_change(const ProgressCurve& before, const ProgressCurve& after) {
  double largest = before.size() == after.size() ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < after.size() && i < before.size(); ++i)
    largest = std::max(largest, std::abs(after[i].value / before[i].value - 1));
  return largest;
}

Progresses settled(std::span<const TrainingRun> runs, const BatchLimits& law) {
  constexpr int most_rounds = 50;
  constexpr double still = 1e-6;
  ProgressCurve growth;
  Progresses progresses = progress_of(runs, law, growth);
  for (int round = 0; round < most_rounds; ++round) {
    ProgressCurve next = growth_of(mean_curve(runs, progresses, &TrainingRow::noise_scale, true));
    const double change = largest_change(growth, next);
    growth = std::move(next);
    if (change < still) break;
    progresses = progress_of(runs, law, growth);
  }
  return progresses;
}

/// Rows by their progress.
struct MeanRows {
  std::vector<double> at;       ///< rising
  std::vector<double> values;   ///< mean of the rows at each
  std::vector<double> weights;  ///< number of rows at each
};

/// Rows of equal progress have no order: their mean replaces them. Sums of steps differ in
/// their rounding, and so do equal progresses of several runs.
MeanRows means_of_rows(const ProgressCurve& rows) {
  constexpr double rounding = 1e-9;
  MeanRows means;
  for (std::size_t begin = 0; begin < rows.size();) {
    double sum = 0;
    std::size_t end = begin;
    const double most = rows[begin].progress * (1 + rounding);
    for (; end < rows.size() && rows[end].progress <= most; ++end) sum += rows[end].value;
    const auto count = static_cast<double>(end - begin);
    means.at.push_back(rows[begin].progress);
    means.values.push_back(sum / count);
    means.weights.push_back(count);
    begin = end;
  }
  return means;
}

/// One point in the middle of each level, and the two ends.
ProgressCurve levels(const MeanRows& means, std::span<const double> fitted) {
  ProgressCurve curve;
  const auto add = [&](double progress, double value) {
    if (curve.empty() || progress > curve.back().progress) curve.push_back({progress, value});
  };
  add(means.at.front(), fitted.front());
  for (std::size_t begin = 0; begin < fitted.size();) {
    std::size_t end = begin;
    double sum = 0;
    double weight = 0;
    for (; end < fitted.size() && fitted[end] == fitted[begin]; ++end) {
      sum += means.weights[end] * means.at[end];
      weight += means.weights[end];
    }
    add(end - begin == 1 ? means.at[begin] : sum / weight, fitted[begin]);
    begin = end;
  }
  add(means.at.back(), fitted.back());
  return curve;
}

void fit_accuracy(std::span<const TrainingRun> runs, const Progresses& progresses, ProgressFit& fit) {
  ProgressCurve rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t row = 0; row < runs[i].rows.size(); ++row) {
      if (const auto& metric = runs[i].rows[row].metric) rows.push_back({progresses[i][row], *metric});
    }
  }
  std::ranges::stable_sort(rows, {}, &ProgressPoint::progress);
  const MeanRows means = means_of_rows(rows);
  const std::vector<double> fitted = netmodels::monotone_regression(means.values, means.weights);
  fit.accuracy = levels(means, fitted);
  double sum = 0;
  std::size_t row = 0;
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    for (double left = means.weights[i]; left > 0; --left, ++row)
      sum += std::abs(rows[row].value - fitted[i]);
  }
  fit.accuracy_error = sum / static_cast<double>(rows.size());
}

}  // namespace

ProgressFit fit_progress(std::span<const TrainingRun> runs, const BatchLimits& law) {
  const Progresses progresses = settled(runs, law);
  ProgressFit fit;
  fit_accuracy(runs, progresses, fit);
  fit.noise_scale = mean_curve(runs, progresses, &TrainingRow::noise_scale, true);
  fit.squared_norm = mean_curve(runs, progresses, &TrainingRow::squared_norm, true);
  fit.loss = mean_curve(runs, progresses, &TrainingRow::loss, false);
  fit.test_loss = mean_curve(runs, progresses, &TrainingRow::test_loss, false);
  if (!fit.noise_scale.empty()) fit.mean_noise_scale = mean_to_one(fit.noise_scale);
  return fit;
}

}  // namespace calibrate::fits
