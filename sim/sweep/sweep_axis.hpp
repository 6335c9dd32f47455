// One axis of a sweep: a key of the scenario and the values that it takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"

namespace sim::sweep {

/// A key and its values as a scenario would write them.
struct SweepAxis {
  std::string key;                  ///< cluster.link.bandwidth
  std::vector<std::string> values;  ///< at least one, no two alike
  /// Numbers of the values that were written out, rising: single ones and the ends of ranges.
  std::vector<std::size_t> written = {};

  /// Whether it is the same axis, however it was written.
  bool operator==(const SweepAxis& other) const { return key == other.key && values == other.values; }
};

/// The most values of one axis.
inline constexpr std::size_t most_axis_values = 100'000;

/// Reads `KEY=PIECE,PIECE,...`. Commas within brackets, braces and quotes part nothing. A piece is a value,
/// or a range of numbers with one unit behind it:
///
///   1..5                     every whole number
///   1..25 Gbit/s log 8       eight values, each by the same factor above the one before
///   0.1..0.5 linear 5        five values, equally far apart
///
/// Both ends are taken. Values of a range are written to six digits.
/// @returns an Error at `--axis KEY` for a text without key or value, a range that is none or does not rise
///          from above 0 where it is `log`, fewer than two or too many values, and a value that stands twice
netmodels::Result<SweepAxis> parse_axis(std::string_view text);

}  // namespace sim::sweep
