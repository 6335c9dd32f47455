// Means over seeds as a table.
#include "sim/report/seed_report.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "command_line/text_table.hpp"
#include "sim/report/seed_figures.hpp"
#include "sim/report/seed_statistics.hpp"
#include "sim/report/terminal_text.hpp"

namespace sim::report {
namespace {

using command_line::Cell;
using command_line::Measure;
using command_line::Table;

bool has_target(const SimulatedArm& arm) { return arm.scenario->learner.target.has_value(); }

/// "170.7 ms (170.1 ms to 171.2 ms)", or the value alone where all seeds agree.
std::string mean_text(const BySeed& values, const SeedFigure& what) {
  const std::vector<double> list = known(values);
  if (list.empty()) return "-";
  if (list.size() == 1) return what.print(list.front());
  const SeedMean mean = figure_mean(what, list);
  const std::string text = what.print(mean.mean);
  if (what.print(mean.low) == text && what.print(mean.high) == text) return text;
  return fmt::format("{} ({} to {})", text, what.print(mean.low), what.print(mean.high));
}

/// The mean where every seed reaches the target, else "25.4 s, 7 of 10" with the median of those that do.
std::string target_text(const BySeed& values) {
  const std::vector<double> list = known(values);
  if (list.empty()) return fmt::format("never in {}", values.size());
  if (list.size() == values.size()) return mean_text(values, target_figure);
  return fmt::format("{}, {} of {}", target_figure.print(median(list)), list.size(), values.size());
}

}  // namespace

std::string seeds_text(const SimulatedStudy& study) {
  if (study.seeds.empty()) return "";
  const bool learns = std::ranges::any_of(
      study.arms, [](const SimulatedArm& arm) { return arm.result.learning.has_value(); });
  const bool targets = std::ranges::any_of(study.arms, has_target);
  Table table;
  table.columns = {{"arm", "arm", Measure::none}};
  std::vector<const SeedFigure*> figures{&step_figure, &total_figure};
  if (learns) figures.push_back(&accuracy_figure);
  for (const SeedFigure* what : figures)
    table.columns.push_back({std::string(what->key), std::string(what->title), Measure::none});
  if (targets) table.columns.push_back({"target", "to target, reached", Measure::none});
  for (const SimulatedArm& arm : study.arms) {
    std::vector<Cell>& row = table.rows.emplace_back();
    row.emplace_back(arm.result.name);
    for (const SeedFigure* what : figures)
      row.emplace_back(mean_text(values_of(study, arm.result.name, *what), *what));
    if (targets)
      row.emplace_back(has_target(arm) ? target_text(values_of(study, arm.result.name, target_figure)) : "-");
  }
  return wrap(fmt::format(
             "{} seeds, {} to {}: means with 95 % intervals (Student's t); to the target: where some "
             "seeds miss it, the median of those that reach it. All other tables are of seed {}.",
             study.seeds.size(), study.seeds.front().seed, study.seeds.back().seed,
             study.seeds.front().seed)) +
         command_line::text_table(table) + "\n";
}

std::string one_seed_note(const SimulatedStudy& study) {
  const auto trains = [](const SimulatedArm& arm) {
    return arm.scenario->learner.kind->traits.trains && arm.result.learning &&
           !arm.result.learning->curve.empty();
  };
  if (!study.seeds.empty() || std::ranges::count_if(study.arms, trains) < 2) return "";
  return "One seed was run: arms that are close in accuracy or in time to a target change order with it. "
         "`--seeds 5` "
         "says which differences are more than chance.";
}

}  // namespace sim::report
