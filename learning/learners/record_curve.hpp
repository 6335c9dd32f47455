// A quantity known at some points, linear between them.
#pragma once

#include <optional>
#include <vector>

namespace learning::learners {

/// A known point.
struct Knot {
  double at = 0;
  double value = 0;

  bool operator==(const Knot&) const = default;
};

/// Known points, `at` rising strictly.
using Curve = std::vector<Knot>;

/// @returns the value linear between the two knots around `at`; nothing before the first and beyond the last
std::optional<double> value_within(const Curve& curve, double at);

/// As `value_within`, but the first knot's value before it and the last one's beyond it.
/// @param curve  at least one knot
double value_clamped(const Curve& curve, double at);

/// The mean of `value_clamped` from 0 to 1: the trapezoidal rule, exact for straight pieces.
/// @param curve  at least one knot
double mean_to_one(const Curve& curve);

/// A quantity by compression ratio, linear in the logarithm of the ratio. At ratio 1, where nothing is left
/// out, it is 1 unless a knot stands there: methods that send every value changed have one.
/// @param by_ratio  `at` above 0, at most 1
/// @param ratio     in (0, 1]
/// @returns nothing below the smallest known ratio, and without any known ratio below 1
std::optional<double> value_at_ratio(const Curve& by_ratio, double ratio);

/// As `value_at_ratio`, but the smallest known ratio's value below it.
/// @param by_ratio  at least one knot
double value_at_ratio_clamped(const Curve& by_ratio, double ratio);

}  // namespace learning::learners
