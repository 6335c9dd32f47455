// The number of pieces of a fit, and its error on held-out sizes.
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

bool enough(std::size_t points, int segments) {
  return points >= points_per_segment * static_cast<std::size_t>(segments);
}

/// The model with as many of `segments` pieces as the points allow.
SegmentModel fit_at_most(Points points, int segments) {
  for (int pieces = segments; pieces > 1; --pieces) {
    if (!enough(points.size(), pieces)) continue;
    if (auto model = fit_segments(points, pieces)) return std::move(*model);
  }
  return *fit_segments(points, 1);
}

/// Every point, predicted by a fit that has not seen it.
std::vector<HeldOutPoint> predict_folds(Points points, std::size_t folds, std::optional<int> segments) {
  std::vector<HeldOutPoint> predicted;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const auto seen = part(points, folds, fold, false);
    const SegmentModel model = fit_at_most(seen, segments ? *segments : choose_segments(seen));
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

std::size_t folds_of(Points points) { return points.size() >= points_to_halve ? 2 : points.size(); }

}  // namespace

std::string_view to_string(HeldOutBy by) {
  return by == HeldOutBy::every_second_size ? "every second size" : "one size at a time";
}

int choose_segments(Points points) {
  constexpr double gain = 0.97;
  const std::size_t seen = points.size() - 1;
  if (points.size() < least_points) return 1;
  int best = 1;
  double best_error = errors_of(predict_folds(points, points.size(), 1)).mean;
  for (int segments = 2; segments <= most_segments && enough(seen, segments); ++segments) {
    const double error = errors_of(predict_folds(points, points.size(), segments)).mean;
    if (error >= gain * best_error) continue;
    best = segments;
    best_error = error;
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
  fit.model = fit_at_most(points, segments ? *segments : choose_segments(points));
  return fit;
}

}  // namespace calibrate::fits
