// Values between known points.
#include "learning/learners/record_curve.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace learning::learners {
namespace {

double between(const Knot& below, const Knot& above, double at) {
  return below.value + (above.value - below.value) * (at - below.at) / (above.at - below.at);
}

}  // namespace

std::optional<double> value_within(const Curve& curve, double at) {
  if (curve.empty() || at < curve.front().at || at > curve.back().at) return std::nullopt;
  return value_clamped(curve, at);
}

double value_clamped(const Curve& curve, double at) {
  assert(!curve.empty());
  const auto above = std::ranges::lower_bound(curve, at, {}, &Knot::at);
  if (above == curve.begin()) return curve.front().value;
  if (above == curve.end()) return curve.back().value;
  return between(*(above - 1), *above, at);
}

double mean_to_one(const Curve& curve) {
  double sum = 0;
  Knot last{0, value_clamped(curve, 0)};
  const auto add = [&](const Knot& next) {
    sum += (next.at - last.at) * (next.value + last.value) / 2;
    last = next;
  };
  for (const Knot& knot : curve) {
    if (knot.at > 0 && knot.at < 1) add(knot);
  }
  add({1, value_clamped(curve, 1)});
  return sum;
}

std::optional<double> value_at_ratio(const Curve& by_ratio, double ratio) {
  assert(ratio > 0 && ratio <= 1);
  if (ratio == 1 && (by_ratio.empty() || by_ratio.back().at < 1)) return 1.0;
  if (by_ratio.empty() || ratio < by_ratio.front().at) return std::nullopt;
  return value_at_ratio_clamped(by_ratio, ratio);
}

double value_at_ratio_clamped(const Curve& by_ratio, double ratio) {
  assert(!by_ratio.empty() && ratio > 0 && ratio <= 1);
  const auto above = std::ranges::lower_bound(by_ratio, ratio, {}, &Knot::at);
  if (above == by_ratio.begin()) return by_ratio.front().value;
  const Knot below = *(above - 1);
  const Knot next = above == by_ratio.end() ? Knot{1, 1} : *above;
  return between({std::log(below.at), below.value}, {std::log(next.at), next.value}, std::log(ratio));
}

}  // namespace learning::learners
