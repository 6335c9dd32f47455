// The results of a sweep by columns, and which of its points no other beats in two figures.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/table.hpp"
#include "netmodels/result.hpp"
#include "sim/sweep/sweep_design.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace sim::sweep {

// Which points of a sweep no other one beats: Pareto fronts of two figures.

/// One figure of every row; nothing where a row has none.
using Figures = std::vector<std::optional<double>>;

/// Rows that no other row beats: none is better in one figure and at least as good in the other. Of rows
/// equal in both, the first one. Rows that lack one of the figures take no part.
/// @returns the numbers of the rows, from the best `x` to the best `y`
std::vector<std::size_t> front(const Figures& x, const Figures& y, bool more_x_is_better,
                               bool more_y_is_better);

// The results of a sweep by columns: figures, axes as numbers, and which arm is the fastest at each point.

/// One column of numbers.
struct FigureColumn {
  command_line::Column heading;
  Figures values;  ///< one per row
};

/// A point that failed.
struct FailedPoint {
  command_line::Cell point;
  std::vector<std::string> values;  ///< one per axis
  std::string message;
};

/// The text for the fastest arm where several differ by no more than a tie (`scenario::tie`).
inline constexpr std::string_view no_single_arm = "a tie";

/// Whether rows that are compared took different numbers of samples.
struct UnequalWork {
  bool in_step = false;
  bool in_run = false;
};

/// Every arm of every completed point, by columns.
struct SweepTable {
  std::vector<SweepAxis> axes;
  std::vector<std::string> arms;          ///< one per row
  std::vector<std::string> not_compared;  ///< one per row: why the arm is not compared there (the metric of
                                          ///< this name); empty: it is one
  std::vector<std::size_t> point;         ///< point of each row, counted from 0 without gaps
  std::vector<std::vector<std::string>> values;  ///< values of each axis: one per row
  std::vector<FigureColumn> axis_figures;  ///< axes whose values are all numbers or all of one dimension
  std::vector<FigureColumn> figures;       ///< figures of the results; only such as differ from row to row
  Figures times;  ///< one per row: seconds per sample of all workers together, with the time
                  ///< outside of steps
  std::vector<std::string> fastest;  ///< one per row: the arm with the least time per sample there
  std::vector<FailedPoint> failed;
  UnequalWork work;  ///< `figures` has columns per sample where either is set

  [[nodiscard]] std::size_t rows() const { return arms.size(); }
  [[nodiscard]] const FigureColumn* find(std::string_view key) const;  ///< null: there is none
  /// The figures of a column without those of arms that are not compared.
  [[nodiscard]] Figures compared(const FigureColumn& column) const;
};

/// @param file  for messages
/// @returns an Error at the file where it is damaged: a completed point has no result or a value that
/// its
///          axis does not have, or SQLite cannot read the columns
netmodels::Result<SweepTable> sweep_table(const SweepStore& store, const std::string& file);

/// The row with the least (or the greatest) figure among those of an arm; empty: of all arms. Rows in which
/// the arm is not compared take no part. Of equal ones the first; nothing where none has a figure.
std::optional<std::size_t> best_row(const SweepTable& table, const FigureColumn& column, bool more_is_better,
                                    const std::string& arm);

/// Values of an axis as numbers in base units, with what they measure.
/// @returns nothing where they are not all numbers, or not all of one dimension
struct MeasuredAxis {
  command_line::Measure measure;
  std::vector<double> values;
};
std::optional<MeasuredAxis> measure_axis(const SweepAxis& axis);

}  // namespace sim::sweep
