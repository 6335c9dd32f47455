// Which points of a sweep no other one beats: Pareto fronts of two figures.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::sweep {

/// A figure of a result that one would rather have small, or large.
struct Objective {
  std::string_view key;  ///< the column
  bool more_is_better = false;
};

/// The figures by which points are held against each other, in the order in which they are offered.
std::span<const Objective> objectives();

/// One figure of every row; nothing where a row has none.
using Figures = std::vector<std::optional<double>>;

/// Rows that no other row beats: none is better in one figure and at least as good in the other. Of rows
/// equal in both, the first one. Rows that lack one of the figures take no part.
/// @returns the numbers of the rows, from the best `x` to the best `y`
std::vector<std::size_t> front(const Figures& x, const Figures& y, bool more_x_is_better,
                               bool more_y_is_better);

}  // namespace sim::sweep
