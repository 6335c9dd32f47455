// Relative least squares of steps over the batch.
#include <algorithm>
#include <cassert>

#include "calibrate/fits/statistical.hpp"

namespace calibrate::fits {
namespace {

using netmodels::refuse;
using netmodels::Result;

/// S(B) = least + work / B; both at least 0, and `least` 0 where no bound shows.
struct BatchLine {
  double least = 0;
  double work = 0;  ///< samples

  [[nodiscard]] double at(double batch) const { return least + work / batch; }
};

/// The best factor of a single regressor: sum x / sum x^2, for residuals factor * x - 1.
double factor_alone(double sum, double sum_of_squares) { return sum / sum_of_squares; }

BatchLine fit_line(std::span<const BatchSteps> points) {
  double xx = 0;
  double xy = 0;
  double yy = 0;
  double x = 0;
  double y = 0;
  for (const BatchSteps& point : points) {
    const double constant = 1 / point.steps;
    const double inverse = constant / point.batch;
    xx += constant * constant;
    xy += constant * inverse;
    yy += inverse * inverse;
    x += constant;
    y += inverse;
  }
  const double determinant = xx * yy - xy * xy;
  const BatchLine line{(x * yy - y * xy) / determinant, (xx * y - xy * x) / determinant};
  if (line.least < 0) return {0, factor_alone(y, yy)};
  if (line.work < 0) return {factor_alone(x, xx), 0};
  return line;
}

std::size_t batches_in(std::span<const BatchSteps> sorted) {
  std::size_t batches = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) batches += i == 0 || sorted[i].batch != sorted[i - 1].batch;
  return batches;
}

std::vector<BatchSteps> without(std::span<const BatchSteps> points, double batch) {
  std::vector<BatchSteps> others;
  for (const BatchSteps& point : points) {
    if (point.batch != batch) others.push_back(point);
  }
  return others;
}

}  // namespace

double steps_at(const BatchLimits& law, double batch) {
  return law.least_steps * (1 + law.critical_batch / batch);
}

Result<BatchFit> fit_batches(std::vector<BatchSteps> measured) {
  std::ranges::sort(measured, {}, &BatchSteps::batch);
  const std::size_t batches = batches_in(measured);
  if (batches < 2)
    return refuse("", "all trainings have the same batch", "give trainings at two batches at least");
  const BatchLine line = fit_line(measured);
  if (line.least <= 0) {
    return refuse("",
                  "the steps fall as 1 / B through all batches, so the minimum number of steps cannot "
                  "be determined",
                  "add a training at a larger batch");
  }
  BatchFit fit{{line.least, line.work / line.least}, {}, {}, std::nullopt};
  std::vector<double> in_sample;
  std::vector<double> held_out;
  for (const BatchSteps& point : measured) {
    fit.rows.push_back({point, line.at(point.batch), std::nullopt});
    in_sample.push_back(line.at(point.batch) / point.steps - 1);
    if (batches < 3) continue;
    fit.rows.back().held_out = fit_line(without(measured, point.batch)).at(point.batch);
    held_out.push_back(*fit.rows.back().held_out / point.steps - 1);
  }
  fit.in_sample = measurements::summarise(in_sample);
  if (!held_out.empty()) fit.held_out = measurements::summarise(held_out);
  return fit;
}

}  // namespace calibrate::fits
