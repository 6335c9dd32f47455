// The shape of a fit, and its error on held-out sizes.
#include "calibrate/fits/held_out.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace calibrate::fits {
namespace {

using Points = std::span<const measurements::MeasuredPoint>;

/// The points whose index is, or is not, `which` modulo `stride`.
std::vector<measurements::MeasuredPoint> part(Points points, std::size_t stride, std::size_t which,
                                              bool held_out) {
  std::vector<measurements::MeasuredPoint> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if ((i % stride == which) == held_out) kept.push_back(points[i]);
  }
  return kept;
}

/// The model with these points between which it interpolates; without any where its pieces do that.
SegmentModel interpolating(SegmentModel model, Points points, Interpolation interpolation) {
  model.interpolation = interpolation;
  if (interpolation == Interpolation::segments) return model;
  for (const measurements::MeasuredPoint& point : points) model.points.push_back({point.size, point.time});
  return model;
}

bool enough(std::size_t points, int segments) {
  return points >= points_per_segment * static_cast<std::size_t>(segments);
}

/// The model of this shape, with fewer pieces where the points do not suffice.
SegmentModel fit_shape(Points points, const Shape& shape) {
  int pieces = shape.segments;
  while (pieces > 1 && !enough(points.size(), pieces)) --pieces;
  return interpolating(fit_segments(points, pieces), points, shape.interpolation);
}

Shape shape_for(Points points, std::optional<int> segments) {
  return segments ? Shape{*segments, Interpolation::segments} : choose_shape(points);
}

/// Every point, predicted by a fit that has not seen it.
std::vector<HeldOutPoint> predict_folds(Points points, std::size_t folds, std::optional<int> segments) {
  std::vector<HeldOutPoint> predicted;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const auto seen = part(points, folds, fold, false);
    const SegmentModel model = fit_shape(seen, shape_for(seen, segments));
    for (const measurements::MeasuredPoint& point : part(points, folds, fold, true))
      predicted.push_back({point, predict(model, point.size)});
  }
  return predicted;
}

measurements::RelativeErrors errors_of(std::span<const HeldOutPoint> points) {
  std::vector<double> errors;
  for (const HeldOutPoint& each : points) errors.push_back(each.predicted / each.measured.time - 1);
  return measurements::summarise(errors);
}

constexpr double needed_gain = 0.97;

/// For each point the fit of `segments` pieces to all others.
std::vector<SegmentModel> fits_without_each(Points points, int segments) {
  std::vector<SegmentModel> models;
  for (std::size_t i = 0; i < points.size(); ++i)
    models.push_back(fit_segments(part(points, points.size(), i, false), segments));
  return models;
}

/// Mean error of each point's prediction by the fit to all others.
double mean_error_of(Points points, const std::vector<SegmentModel>& models, Interpolation interpolation) {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto others = part(points, points.size(), i, false);
    const SegmentModel model = interpolating(models[i], others, interpolation);
    sum += std::abs(predict(model, points[i].size) / points[i].time - 1);
  }
  return sum / static_cast<double>(points.size());
}

std::size_t folds_of(Points points) { return points.size() >= points_to_halve ? 2 : points.size(); }

}  // namespace

std::string_view to_string(HeldOutBy by) {
  return by == HeldOutBy::every_second_size ? "every second size" : "one size at a time";
}

Shape choose_shape(Points points) {
  Shape best;
  if (points.size() < least_points) return best;
  std::vector<SegmentModel> models = fits_without_each(points, 1);
  double best_error = mean_error_of(points, models, Interpolation::segments);
  const auto improves = [&](double error) {
    if (error >= needed_gain * best_error) return false;
    best_error = error;
    return true;
  };
  for (int segments = 2; segments <= most_segments && enough(points.size() - 1, segments); ++segments) {
    auto more = fits_without_each(points, segments);
    if (!improves(mean_error_of(points, more, Interpolation::segments))) continue;
    best.segments = segments;
    models = std::move(more);
  }
  for (const Interpolation interpolation : {Interpolation::lines, Interpolation::log_lines}) {
    if (improves(mean_error_of(points, models, interpolation))) best.interpolation = interpolation;
  }
  return best;
}

netmodels::Result<std::vector<HeldOutPoint>> predict_held_out(Points points, std::optional<int> segments) {
  const std::size_t n = points.size();
  if (n < least_points) {
    return netmodels::refuse("", fmt::format("{} sizes are too few for a fit with a held-out error", n),
                             fmt::format("measure at least {}", least_points));
  }
  if (segments && (!enough(n - 1, *segments) || *segments > most_segments)) {
    return netmodels::refuse("", fmt::format("{} sizes are too few for {} segments", n, *segments),
                             fmt::format("accepted: up to {}", (n - 1) / points_per_segment));
  }
  return predict_folds(points, folds_of(points), segments);
}

netmodels::Result<Fit> fit_held_out(Points points, std::optional<int> segments) {
  GRADSIM_TRY(held_out, predict_held_out(points, segments));
  Fit fit;
  fit.by = points.size() >= points_to_halve ? HeldOutBy::every_second_size : HeldOutBy::one_size_at_a_time;
  fit.held_out = errors_of(*held_out);
  fit.model = fit_shape(points, shape_for(points, segments));
  return fit;
}

}  // namespace calibrate::fits
