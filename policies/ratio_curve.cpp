// Sorting, pooling and interpolating measured points.
#include "policies/ratio_curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace policies {
namespace {

/// Neighbours that share one value.
struct Pool {
  double sum;
  std::size_t points;

  [[nodiscard]] double mean() const { return sum / static_cast<double>(points); }
};

}  // namespace

RatioCurve::RatioCurve(std::vector<RatioPoint> points) : points_(std::move(points)) {
  std::ranges::sort(points_, {}, &RatioPoint::ratio);
}

RatioCurve RatioCurve::rising(std::vector<RatioPoint> points) {
  RatioCurve curve(std::move(points));
  std::vector<Pool> pools;
  for (const RatioPoint& point : curve.points_) {
    Pool pool{point.value, 1};
    while (!pools.empty() && pools.back().mean() > pool.mean()) {
      pool.sum += pools.back().sum;
      pool.points += pools.back().points;
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  auto point = curve.points_.begin();
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.points; ++i) (point++)->value = pool.mean();
  }
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

}  // namespace policies
