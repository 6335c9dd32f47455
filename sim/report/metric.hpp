// Every figure of a run, one row each: reports, `expect`, CSV, JSON and sweeps read this table.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "command_line/table.hpp"
#include "netmodels/result.hpp"
#include "sim/language/metric.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// The source of figures: the whole run of an arm, or one of its phases.
struct RunPart {
  const SimulatedStudy* study;
  const SimulatedArm* arm;
  const engine::PhaseResult* phase;  ///< the whole run, or one of its phases
  bool whole;
  std::string_view of = {};  ///< the whole of a share, for metrics that are shares
};

/// Where a metric with a key is shown besides CSV, which has all of them. A set of bits.
enum Place : unsigned {
  in_arms = 1,         ///< JSON: an arm's whole run
  in_phases = 2,       ///< JSON: each phase of an arm
  in_sweeps = 4,       ///< the rows of a sweep
  in_charts = 8,       ///< the charts of a sweep's page
  in_step_parts = 16,  ///< the bars of a run's page: what the mean time of a step is made of
};

/// When the table for people has the column of a metric.
enum class InText {
  always,
  unless_idle,           ///< where some row has a figure that is not 0
  if_collective_chosen,  ///< where no scenario names the collective
  if_ratio_chosen,       ///< where a policy chooses the compression
  never,                 ///< headings or the notes below the table say it
};

/// One figure of a run.
struct Metric {
  std::string_view key;    ///< in CSV, JSON and sweeps; ends in its unit; empty: only in `expect`
  std::string_view title;  ///< in tables, which add the unit
  command_line::Measure measure;
  std::string_view name;  ///< under `expect`; empty where it cannot be expected
  std::string_view doc;   ///< its meaning, in base units
  /// @returns an empty cell where the part of the run has no such figure
  command_line::Cell (*get)(const RunPart& part);
  unsigned places;
  InText in_text = InText::always;
  language::ShareOf of = language::ShareOf::nothing;
};

/// Every metric, in the order of the columns of CSV.
std::span<const Metric> metrics();

/// The metric with this name under `expect`; a null pointer where there is none.
const Metric* find_metric(std::string_view name);

/// What the reader of scenarios must know of the metrics that `expect` may name.
language::ExpectableMetrics expectable_metrics();

/// One row for each part; the columns are the metrics with a key that are shown at `place`, or all of them.
command_line::Table metric_table(std::span<const RunPart> parts, unsigned place = ~0U);

/// Whether every metric of every whole run is a finite number or empty: nothing else is printed.
/// @returns an Error that names the arm and the metric
netmodels::Result<void> check_finite(const SimulatedStudy& study);

/// The keys of the metrics that are shown at a place, or of those with a key that are not.
std::vector<std::string_view> keys_at(Place place);
std::vector<std::string_view> keys_not_at(Place place);

}  // namespace sim::report
