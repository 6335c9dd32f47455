// Points of a sweep: its axes and the designs over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"

namespace sim::sweep {

// One axis of a sweep: a key of the scenario and the values that it takes.

/// A key and its values as a scenario would write them.
struct SweepAxis {
  std::string key;                  ///< cluster.link.bandwidth
  std::vector<std::string> values;  ///< at least one, all different
  /// Numbers of the values that were written out, rising: single ones and the ends of ranges.
  std::vector<std::size_t> written = {};

  /// Whether it is the same axis, however it was written.
  bool operator==(const SweepAxis& other) const { return key == other.key && values == other.values; }
};

/// The largest number of values of one axis.
inline constexpr std::size_t most_axis_values = 100'000;

/// Reads `KEY=PIECE,PIECE,...`. Commas within brackets, braces and quotes part nothing. A piece is a value,
/// or a range of numbers followed by one unit:
///
///   1..5                     every whole number
///   1..25 Gbit/s log 8       eight values, each by the same factor above the one before
///   0.1..0.5 linear 5        five values, equally far apart
///
/// Both ends are taken. Values of a range are written to six digits.
/// @returns an Error at `--axis KEY` for a text without key or value, an invalid range or one that does not
/// rise
///          from above 0 where it is `log`, fewer than two or too many values, and a duplicate value
netmodels::Result<SweepAxis> parse_axis(std::string_view text);

// Which points of the product of several axes a sweep visits.

enum class SweepDesign {
  grid,             ///< every combination, the last axis fastest
  latin_hypercube,  ///< a number of points, each axis' values equally often, combined at random
  one_at_a_time,  ///< the first value of every axis, then each other value with the first ones of the others
};

/// The largest number of points of one sweep.
inline constexpr std::size_t most_sweep_points = 1'000'000;

/// Axes and design of a sweep.
struct SweepPlan {
  std::vector<SweepAxis> axes;  ///< at least one, each key once
  SweepDesign design = SweepDesign::grid;
  std::optional<std::size_t> points;  ///< points of a Latin hypercube
  std::uint64_t seed = 1;             ///< seed of a Latin hypercube
};

/// One point: for each axis the place of its value. Points are numbered from 0 in this order.
using SweepPoint = std::vector<std::size_t>;

/// @returns the points in a stable order, or an Error that names the option for no axis, an axis that appears
///          twice, too many points, and a number of points where the design has its own or where it lacks one
///
/// Source: M. D. McKay, R. J. Beckman & W. J. Conover, "A Comparison of Three Methods for Selecting Values of
///         Input Variables in the Analysis of Output from a Computer Code", Technometrics 21(2), 1979.
netmodels::Result<std::vector<SweepPoint>> sweep_points(const SweepPlan& plan);

/// The point as settings: `KEY=VALUE` per axis.
std::vector<std::string> settings_of(std::span<const SweepAxis> axes, const SweepPoint& point);

}  // namespace sim::sweep
