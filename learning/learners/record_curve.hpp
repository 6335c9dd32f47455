// The contents of a record: quantities known at some points, and the compressions of the measurements.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learning/learners/learner.hpp"
#include "netmodels/result.hpp"

namespace learning::learners {

// A compression as one phrase of a record's facts and of labels.

/// `none`, `topk 0.01`, `topk 0.01 without error feedback`, `ar_topk 0.01 by variance`.
std::string print_compression(const Compression& compression);

/// Reads what `print_compression` writes.
/// @returns an Error without a place for any other phrase or a ratio outside (0, 1]
netmodels::Result<Compression> parse_compression(std::string_view phrase);

/// Whether all of the gradient is sent as it is: `none`, or a ratio of 1 with a method that leaves out values
/// and changes none (`sparse` in the table of wire formats). fp16, qsgd, signsgd and similar methods send
/// every value, but another one.
bool sends_all(const Compression& compression);

/// The name of a compression in tables: its method, followed by `_by_variance`
/// where the worker with the largest norm chooses.
std::string table_name(const Compression& compression);

// A quantity known at some points, linear between them.

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
/// out, it is 1 unless there is a knot: methods that send every value changed have one.
/// @param by_ratio  `at` above 0, at most 1
/// @param ratio     in (0, 1]
/// @returns nothing below the smallest known ratio, and without any known ratio below 1
std::optional<double> value_at_ratio(const Curve& by_ratio, double ratio);

/// As `value_at_ratio`, but the smallest known ratio's value below it.
/// @param by_ratio  at least one knot
double value_at_ratio_clamped(const Curve& by_ratio, double ratio);

}  // namespace learning::learners
