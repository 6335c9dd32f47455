// Our figures compared with published ones: single figures, mean errors, and best arms.
#include "sim/report/expectations.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include <fmt/format.h>

#include "sim/report/comparison.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/seed_figures.hpp"
#include "sim/scenario/expectations.hpp"

namespace sim::report {
namespace {

using engine::PhaseResult;

const SimulatedArm* find_arm(const SimulatedStudy& study, const std::string& name) {
  const auto found =
      std::ranges::find_if(study.arms, [&](const SimulatedArm& arm) { return arm.result.name == name; });
  return found == study.arms.end() ? nullptr : &*found;
}

std::string phase_labels(const SimulatedArm& arm) {
  std::string labels;
  for (const PhaseResult& phase : arm.result.phases)
    labels += (labels.empty() ? "`" : ", `") + phase.label + "`";
  return labels;
}

std::string why_missing(const scenario::Expectation& expected, const SimulatedArm& arm) {
  const std::string not_counted = "a published closed form sends no messages that could be counted";
  if (expected.metric == "sent_bytes" || expected.metric == "total_bytes") return not_counted;
  if (expected.metric == "between_nodes_bytes")
    return arm.scenario->cluster.workers_per_node == 1 ? "each node has one worker: see `sent_bytes`"
                                                       : "flags, a server or a closed form are not counted";
  if (expected.phase) return "known for the whole run only";
  if (!arm.result.learning) return "the arm has no learner";
  if (!expected.metric.starts_with("target")) return "the learner does not predict it";
  return arm.result.learning->target ? not_counted : "the target was not reached";
}

/// The mean over seeds of a figure of the whole run.
ExpectedFigure mean_over_all_seeds(const SimulatedStudy& study, const scenario::Expectation& expected,
                                   const std::string& arm) {
  const Metric* row = find_metric(expected.metric);
  const bool in_rows = row != nullptr && !row->key.empty() && (row->places & in_sweeps) != 0;
  if (expected.phase || expected.of || !in_rows)
    return {&expected, std::nullopt, "known for each seed alone, not as a mean; run it with one seed"};
  double sum = 0;
  std::size_t seeds = 0;
  for (const SeedResult& seed : study.seeds) {
    const auto value = figure_in(seed.rows, arm, row->key);
    sum += value.value_or(0);
    seeds += value ? 1 : 0;
  }
  if (seeds == study.seeds.size()) return {&expected, sum / static_cast<double>(seeds), ""};
  return {&expected, std::nullopt, fmt::format("{} of {} seeds have it", seeds, study.seeds.size())};
}

/// The figure of one arm, or why there is none.
ExpectedFigure look_up(const SimulatedStudy& study, const scenario::Expectation& expected,
                       const std::string& name) {
  const SimulatedArm* arm = find_arm(study, name);
  if (arm == nullptr) return {&expected, std::nullopt, "the arm was not simulated"};
  if (!study.seeds.empty()) return mean_over_all_seeds(study, expected, name);
  const PhaseResult* phase = &arm->result.whole;
  if (expected.phase) {
    const auto found = std::ranges::find(arm->result.phases, *expected.phase, &PhaseResult::label);
    if (found == arm->result.phases.end())
      return {&expected, std::nullopt, "unknown phase; accepted: " + phase_labels(*arm)};
    phase = &*found;
  }
  if (phase->steps == 0) return {&expected, std::nullopt, "no step was simulated"};
  const auto ours = figure_of(expected.metric, *arm, *phase, !expected.phase, expected.of.value_or(""));
  return {&expected, ours, ours ? "" : why_missing(expected, *arm)};
}

ExpectedFigure hold(const SimulatedStudy& study, const scenario::Expectation& expected) {
  ExpectedFigure held = look_up(study, expected, expected.arm);
  if (!expected.over || !held.ours) return held;
  const ExpectedFigure other = look_up(study, expected, *expected.over);
  if (!other.ours) return {&expected, std::nullopt, "`" + *expected.over + "`: " + other.missing};
  if (*other.ours == 0) return {&expected, std::nullopt, "`" + *expected.over + "` has 0"};
  held.ours = *held.ours / *other.ours;
  return held;
}

bool counted_by(const scenario::MeanErrorBound& bound, const scenario::Expectation& expected) {
  return expected.value && expected.metric == bound.metric && scenario::matches(bound.arms, expected.arm);
}

MeanError mean_error(const std::vector<ExpectedFigure>& figures, const scenario::MeanErrorBound& bound) {
  MeanError mean{&bound};
  double sum = 0;
  for (const ExpectedFigure& figure : figures) {
    if (!counted_by(bound, *figure.expected)) continue;
    const auto error = figure.relative_error();
    sum += error ? std::abs(*error) : 1;  // a figure that is missing counts as wholly wrong
    ++mean.figures;
  }
  if (mean.figures > 0) mean.mean = sum / mean.figures;
  return mean;
}

using Figures = std::vector<const ExpectedFigure*>;

BestAgreement best_along(const SimulatedStudy& study, const std::vector<ExpectedFigure>& figures,
                         const scenario::BestAlongAxis& bound) {
  BestAgreement agreement{&bound};
  const auto& axes = study.study->axes;
  const auto axis = static_cast<std::size_t>(std::ranges::find(axes, bound.axis) - axes.begin());
  std::map<std::string, Figures> combinations;
  for (const ExpectedFigure& figure : figures) {
    if (figure.expected->metric != bound.metric || !figure.ours || !figure.expected->value) continue;
    combinations[along(figure.expected->arm, axes.size(), axis)].push_back(&figure);
  }
  for (const auto& [name, rows] : combinations) {
    const auto ours = *std::ranges::min_element(rows, {}, [](const auto* row) { return *row->ours; });
    const auto theirs =
        *std::ranges::min_element(rows, {}, [](const auto* row) { return *row->expected->value; });
    ++agreement.combinations;
    if (*ours->expected->value <= *theirs->expected->value)
      ++agreement.right;
    else
      agreement.wrong.push_back(fmt::format("{}: predicted `{}`, published `{}`", name, ours->expected->arm,
                                            theirs->expected->arm));
  }
  return agreement;
}

/// Whether a bound on several figures counts this one.
bool judged_with_others(const scenario::Study& study, const scenario::Expectation& expected) {
  return std::ranges::any_of(study.mean_errors,
                             [&](const auto& bound) { return counted_by(bound, expected); }) ||
         std::ranges::any_of(study.best_along, [&](const scenario::BestAlongAxis& bound) {
           return expected.value && expected.metric == bound.metric;
         });
}

}  // namespace

std::optional<double> ExpectedFigure::relative_error() const {
  if (!ours || !expected->value) return std::nullopt;
  return (*ours - *expected->value) / *expected->value;
}

bool ExpectedFigure::within_bounds() const {
  if (!ours) return false;
  const bool near = !expected->within || std::abs(*relative_error()) <= *expected->within;
  const bool enough = !expected->at_least || *ours >= *expected->at_least;
  return near && enough && (!expected->at_most || *ours <= *expected->at_most);
}

std::optional<bool> ExpectationReport::met() const {
  const bool judges =
      !mean_errors.empty() || !best.empty() || std::ranges::any_of(figures, &ExpectedFigure::judged);
  if (!judges) return std::nullopt;
  const auto kept = [](const auto& row) { return row.met() != false; };
  return std::ranges::all_of(figures, kept) && std::ranges::all_of(mean_errors, kept) &&
         std::ranges::all_of(best, kept);
}

std::optional<double> figure_of(const std::string& metric, const SimulatedArm& arm, const PhaseResult& phase,
                                bool whole, const std::string& of) {
  const Metric* row = find_metric(metric);
  return row == nullptr ? std::nullopt
                        : command_line::number_of(row->get({nullptr, &arm, &phase, whole, of}));
}

ExpectationReport judge(const SimulatedStudy& study) {
  ExpectationReport report;
  report.seeds = std::max<std::size_t>(1, study.seeds.size());
  for (const auto& expected : study.study->expectations) report.figures.push_back(hold(study, expected));
  for (const auto& bound : study.study->mean_errors)
    report.mean_errors.push_back(mean_error(report.figures, bound));
  for (const auto& bound : study.study->best_along)
    report.best.push_back(best_along(study, report.figures, bound));
  for (ExpectedFigure& figure : report.figures)
    figure.with_others = judged_with_others(*study.study, *figure.expected);
  return report;
}

}  // namespace sim::report
