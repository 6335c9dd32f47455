// Points of a sweep.
#include "sim/sweep/sweep_design.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <fmt/format.h>

namespace sim::sweep {
namespace {

using netmodels::refuse;
using netmodels::Result;

Result<void> check(const SweepPlan& plan) {
  if (plan.axes.empty())
    return refuse("--axis", "there is no axis", "write for example --axis cluster.workers=4,8,16");
  for (auto axis = plan.axes.begin(); axis != plan.axes.end(); ++axis) {
    if (std::find_if(plan.axes.begin(), axis,
                     [&](const SweepAxis& before) { return before.key == axis->key; }) != axis)
      return refuse("--axis " + axis->key, "the key has an axis already",
                    "write all its values behind one --axis");
  }
  const bool draws = plan.design == SweepDesign::latin_hypercube;
  if (draws && !plan.points)
    return refuse("--points", "a Latin hypercube has as many points as are asked for",
                  "write for example --points 100");
  if (!draws && plan.points)
    return refuse("--points", "only a Latin hypercube asks for a number of points", "leave it out");
  if (draws && (*plan.points < 1 || *plan.points > most_sweep_points))
    return refuse("--points", fmt::format("{} points", *plan.points),
                  fmt::format("accepted: 1 to {}", most_sweep_points));
  return {};
}

Result<std::vector<SweepPoint>> grid(const std::vector<SweepAxis>& axes) {
  std::size_t count = 1;
  for (const SweepAxis& axis : axes) {
    count *= axis.values.size();
    if (count > most_sweep_points)
      return refuse("--axis", fmt::format("the grid has more than {} points", most_sweep_points),
                    "leave out values, or let --design latin_hypercube choose some");
  }
  std::vector<SweepPoint> points(count, SweepPoint(axes.size()));
  for (std::size_t number = 0; number < count; ++number) {
    std::size_t rest = number;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      points[number][axis] = rest % axes[axis].values.size();
      rest /= axes[axis].values.size();
    }
  }
  return points;
}

std::vector<SweepPoint> one_at_a_time(const std::vector<SweepAxis>& axes) {
  std::vector<SweepPoint> points{SweepPoint(axes.size())};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    for (std::size_t value = 1; value < axes[axis].values.size(); ++value) {
      points.emplace_back(axes.size());
      points.back()[axis] = value;
    }
  }
  return points;
}

/// Each axis is cut into as many strata as there are points, and each stratum is used once.
std::vector<SweepPoint> latin_hypercube(const SweepPlan& plan) {
  const std::size_t count = *plan.points;
  boost::random::mt19937_64 random(plan.seed);
  std::vector<SweepPoint> points(count, SweepPoint(plan.axes.size()));
  std::vector<std::size_t> strata(count);
  for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) {
    std::iota(strata.begin(), strata.end(), std::size_t{0});
    for (std::size_t i = count; i-- > 1;)
      std::swap(strata[i], strata[boost::random::uniform_int_distribution<std::size_t>(0, i)(random)]);
    for (std::size_t i = 0; i < count; ++i)
      points[i][axis] = strata[i] * plan.axes[axis].values.size() / count;
  }
  return points;
}

}  // namespace

Result<std::vector<SweepPoint>> sweep_points(const SweepPlan& plan) {
  if (auto checked = check(plan); !checked) return tl::unexpected(checked.error());
  switch (plan.design) {
    case SweepDesign::grid: return grid(plan.axes);
    case SweepDesign::latin_hypercube: return latin_hypercube(plan);
    case SweepDesign::one_at_a_time: return one_at_a_time(plan.axes);
  }
  return std::vector<SweepPoint>{};
}

std::vector<std::string> settings_of(std::span<const SweepAxis> axes, const SweepPoint& point) {
  std::vector<std::string> settings;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    settings.push_back(axes[axis].key + "=" + axes[axis].values[point[axis]]);
  return settings;
}

}  // namespace sim::sweep
