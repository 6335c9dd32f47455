// The arms of a study compared, and the table of that.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/table.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::report {

// Which arms of a study can be compared, and under which state of the network.

/// The total cost of all exchanges of one step, on an undisturbed network.
struct ExchangeTimes {
  netmodels::Seconds latency;                          ///< on links of infinite bandwidth
  netmodels::Seconds bandwidth;                        ///< the rest
  netmodels::Seconds hop;                              ///< latency between two neighbours
  std::optional<netmodels::Bytes> between_nodes = {};  ///< that a worker sends, where a step has levels
};

/// How the steps of one phase depend on the time of compressing.
struct PhaseDependence {
  double share = 1;  ///< of the steps
  const engine::CompressionDependence* of;
};

/// One arm in a comparison, with its figures for the part of the run that the comparison is about.
struct Candidate {
  const SimulatedArm* arm;
  const engine::PhaseResult* phase;
  std::optional<ExchangeTimes> exchange{};    ///< mean per step; nothing where the steps were not explained
  std::vector<PhaseDependence> dependence{};  ///< empty where the time of compressing is certain or unused

  [[nodiscard]] const std::string& name() const { return arm->result.name; }
  [[nodiscard]] netmodels::Seconds step_time() const { return phase->step_time(); }
  /// Of the whole gradient with restoring; null where it is certain.
  [[nodiscard]] const engine::CompressionCost* cost() const {
    return dependence.empty() ? nullptr : &dependence.front().of->cost;
  }
  /// If compressing took so long in place of the assumed time. @param compressing  unused without
  /// `dependence`
  [[nodiscard]] netmodels::Seconds step_time_at(netmodels::Seconds compressing) const;
  /// Probes, lost work and recoveries, spread over the steps; they belong to no phase but to the whole run.
  [[nodiscard]] netmodels::Seconds outside() const;
  /// Every step sends the gradient uncompressed.
  [[nodiscard]] bool dense() const;
};

/// Arms that train one model, under one state of the network or over the whole run, those that spend least
/// per sample first.
struct Comparison {
  /// "from the start: 10 Gbit/s, 1 ms", "resnet50/0.01/1 Gbps", "on the machines of `eight`", "whole run"; or
  /// empty.
  std::string where;
  std::vector<Candidate> candidates;
  bool all = false;  ///< the whole runs of all arms of one model
};

/// The whole run of an arm.
Candidate whole_run(const SimulatedArm& arm);

/// Whether both train one model, so that their samples are the same work.
bool same_model(const SimulatedArm& a, const SimulatedArm& b);

/// Whether both train the same model on the same machines over the same network: then the difference is a
/// choice.
bool same_world(const SimulatedArm& a, const SimulatedArm& b);

/// Without axes: the whole runs of all arms of one model; then, once for each phase that the run has, the
/// arms of one world; then the whole runs of each world, where there are several. With axes those arms of one
/// world compete that differ along one axis only: the one that `best_along` names, or else the last. Arms
/// that did not finish, never exchanged or fell behind do not compete. The order is by `spent_per_sample`,
/// with the time outside the steps.
std::vector<Comparison> comparisons(const SimulatedStudy& study);

/// Of all workers together; a mean where workers were lost.
double samples_per_step(const Candidate& candidate);

/// Time for one sample of all workers together.
netmodels::Seconds time_per_sample(const Candidate& candidate);

/// Spending for one sample by the study's objective: seconds, as `time_per_sample`, or USD.
double spent_per_sample(const Candidate& candidate);

/// Whether each step of each candidate takes as many samples, so that times per step can be compared.
bool same_samples(const Comparison& comparison);

/// The axis along which arms compete, as an index into `axes`, of which there must be some.
std::size_t compared_axis(const scenario::Study& study);

/// Parts of an arm's name that belong to the axes; as many as there are axes, or none when the name does not
/// fit.
std::vector<std::string> axis_values(const std::string& arm, std::size_t axes);

/// The name of an arm without its part on one axis: the part that is constant along that axis.
std::string along(const std::string& arm, std::size_t axes, std::size_t axis);

// The figures of all arms side by side: one row for each arm and phase, and one for each whole run.

/// Every metric with a key; of each arm its phases, where there are several, then the whole run.
command_line::Table comparison_table(const SimulatedStudy& study);

/// Keys of the columns that a table for people leaves out: those that its notes say in words, and those in
/// which no row has anything to see.
std::vector<std::string_view> hidden_columns(const command_line::Table& table);

/// For people: one table for each phase with a row for each arm, then the whole runs. Columns that are zero
/// everywhere are left out, and so is the collective where the scenario names it.
/// @param width  of lines, in characters: columns beyond follow below the others
std::string comparison_text(const SimulatedStudy& study, std::size_t width = std::string::npos);

}  // namespace sim::report
