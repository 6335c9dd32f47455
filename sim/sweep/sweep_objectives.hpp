// Figures by which the points of a sweep are compared, such that only equal work is.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sim/sweep/sweep_table.hpp"

namespace sim::sweep {

/// Work that a figure grows with.
enum class WorkOf {
  nothing,  ///< rates, figures per sample, and figures up to a target
  step,     ///< samples of a step
  run,      ///< samples of a run
  reached,  ///< samples of a run, as the quality that they lead to
};

/// A figure of a result that one would rather have small, or large.
struct Objective {
  std::string_view key;  ///< the column
  WorkOf work = WorkOf::nothing;
  bool more_is_better = false;
};

/// The figures by which points are compared, in the order in which they are offered.
std::span<const Objective> objectives();

/// Adds columns per sample where the rows that are compared did different amounts of work, and notes in
/// `table.work` that they did. Rows without samples per step count for nothing.
void add_figures_per_sample(SweepTable& table);

/// Objectives that differ from row to row, and compare equal work with each other.
std::vector<Objective> objectives_of(const SweepTable& table);

/// Time and cost of whole runs: a front of these and of `reached_of` says what more work brings. Empty where
/// all runs are of the same work, as they are objectives then.
std::vector<Objective> spent_of(const SweepTable& table);
std::vector<Objective> reached_of(const SweepTable& table);

/// Whether less (or more) of the figure is better, whatever the work of each row was.
bool compares_equal_work(const SweepTable& table, std::string_view key);

/// Sentence for the reader of a comparison per sample; empty where all rows did the same work.
std::string_view work_text(const SweepTable& table);

}  // namespace sim::sweep
