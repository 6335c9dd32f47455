// Curves over the compression ratio, and the ratios that no other beats.
#include "policies/pareto_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "files/module.hpp"
#include "netmodels/monotone_regression.hpp"
#include "policies/nsga2.hpp"

namespace policies {

// Sorting and interpolating measured points.

RatioCurve::RatioCurve(std::vector<RatioPoint> points) : points_(std::move(points)) {
  std::ranges::sort(points_, {}, &RatioPoint::ratio);
}

RatioCurve RatioCurve::rising(std::vector<RatioPoint> points) {
  RatioCurve curve(std::move(points));
  std::vector<double> values;
  for (const RatioPoint& point : curve.points_) values.push_back(point.value);
  values = netmodels::monotone_regression(values);
  for (std::size_t i = 0; i < values.size(); ++i) curve.points_[i].value = values[i];
  return curve;
}

double RatioCurve::at(double ratio) const {
  const auto above = std::ranges::lower_bound(points_, ratio, {}, &RatioPoint::ratio);
  if (above == points_.begin()) return points_.front().value;
  if (above == points_.end()) return points_.back().value;
  const auto below = above - 1;
  const double share = std::log(ratio / below->ratio) / std::log(above->ratio / below->ratio);
  return below->value + share * (above->value - below->value);
}

// A grid and NSGA-II over one unknown, and the knee of their fronts.

namespace {

constexpr int grid_points = 513;

/// Whether `a` is nowhere worse than `b` and somewhere better.
bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

std::vector<ParetoPoint> not_dominated(const std::vector<ParetoPoint>& points) {
  std::vector<ParetoPoint> front;
  for (const ParetoPoint& point : points) {
    const bool beaten = std::ranges::any_of(
        points, [&](const ParetoPoint& other) { return dominates(other.objectives, point.objectives); });
    if (!beaten) front.push_back(point);
  }
  return front;
}

std::vector<ParetoPoint> grid(const RatioObjectives& objectives, const RatioRange& range) {
  std::vector<ParetoPoint> points;
  for (int i = 0; i < grid_points; ++i) {
    const double ratio = range.least * std::pow(range.most / range.least, i / (grid_points - 1.0));
    const double inside = std::min(ratio, range.most);  // rounding does not lead out of the range
    points.push_back({inside, objectives(inside)});
  }
  return points;
}

std::vector<ParetoPoint> evolved(const RatioObjectives& objectives, const RatioRange& range,
                                 std::uint32_t seed) {
  static EvolveRatios* const evolve = files::open_module<EvolveRatios>("gradsim_pagmo");
  std::vector<ParetoPoint> points;
  evolve(objectives, range, seed, points);
  std::ranges::sort(points, {}, &ParetoPoint::ratio);
  return points;
}

/// The least and the greatest value of an objective on the front.
struct Extent {
  double ideal = std::numeric_limits<double>::infinity();
  double nadir = -std::numeric_limits<double>::infinity();

  [[nodiscard]] double normalised(double value) const {
    return nadir > ideal ? (value - ideal) / (nadir - ideal) : 0;
  }
};

std::vector<Extent> extents(std::span<const ParetoPoint> front) {
  std::vector<Extent> all(front.front().objectives.size());
  for (const ParetoPoint& point : front) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].ideal = std::min(all[i].ideal, point.objectives[i]);
      all[i].nadir = std::max(all[i].nadir, point.objectives[i]);
    }
  }
  return all;
}

}  // namespace

std::vector<ParetoPoint> pareto_front(ParetoSolver solver, const RatioObjectives& objectives,
                                      const RatioRange& range, std::uint32_t seed) {
  if (range.least == range.most) return {{range.most, objectives(range.most)}};
  return not_dominated(solver == ParetoSolver::exact ? grid(objectives, range)
                                                     : evolved(objectives, range, seed));
}

const ParetoPoint& knee(std::span<const ParetoPoint> front, std::span<const double> weights) {
  const std::vector<Extent> scale = extents(front);
  const auto achievement = [&](const ParetoPoint& point) {
    double worst = 0;
    for (std::size_t i = 0; i < scale.size(); ++i)
      worst = std::max(worst, weights[i] * scale[i].normalised(point.objectives[i]));
    return worst;
  };
  return *std::ranges::min_element(front, {}, achievement);
}

}  // namespace policies
