// Means over seeds, and their differences on common seeds.
#include "sim/report/seed_report.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line/text_table.hpp"
#include "sim/report/seed_comparison.hpp"
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

nlohmann::ordered_json seeds_json(const SimulatedStudy& study) {
  nlohmann::ordered_json arms = nlohmann::ordered_json::array();
  if (study.seeds.empty()) return arms;
  for (const SimulatedArm& arm : study.arms) {
    nlohmann::ordered_json object{{"arm", arm.result.name}, {"seeds", study.seeds.size()}};
    for (const SeedFigure* what :
         {&step_figure, &total_figure, &accuracy_figure, &target_figure, &sample_figure}) {
      const std::vector<double> list = known(values_of(study, arm.result.name, *what));
      if (list.size() < 2) continue;
      const SeedMean mean = figure_mean(*what, list);
      object[std::string(what->key)] = {{"mean", mean.mean},
                                        {"low", mean.low},
                                        {"high", mean.high},
                                        {"median", median(list)},
                                        {"seeds", list.size()}};
    }
    arms.push_back(std::move(object));
  }
  return arms;
}

namespace {

/// Of the other minus the one, on the seeds that both have.
std::vector<double> differences_of(const BySeed& one, const BySeed& other) {
  std::vector<double> differences;
  for (std::size_t seed = 0; seed < one.size(); ++seed)
    if (one[seed] && other[seed]) differences.push_back(*other[seed] - *one[seed]);
  return differences;
}

/// Null where the arms have fewer than two common seeds.
nlohmann::ordered_json difference_json(const SimulatedStudy& study, const std::string& arm,
                                       const std::string& other, const SeedFigure& what) {
  const std::vector<double> differences =
      differences_of(values_of(study, arm, what), values_of(study, other, what));
  if (differences.size() < 2) return {};
  const SeedMean mean = mean_over_seeds(differences);
  return {{"arm", arm},
          {"other", other},
          {"figure", what.key},
          {"difference", mean.mean},
          {"low", mean.low},
          {"high", mean.high},
          {"excludes_zero", mean.low > 0 || mean.high < 0},
          {"p_value", paired_test(differences)},
          {"seeds", differences.size()}};
}

}  // namespace

nlohmann::ordered_json seed_differences_json(const SimulatedStudy& study) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  constexpr std::size_t most_arms = 8;
  if (study.seeds.empty()) return list;
  for (const auto& [where, arms] : groups_of(study)) {
    const std::size_t firsts = arms.size() <= most_arms ? arms.size() : 1;
    for (std::size_t arm = 0; arm < firsts; ++arm) {
      for (std::size_t other = arm + 1; other < arms.size(); ++other) {
        for (const SeedFigure* what : {&sample_figure, &accuracy_figure, &target_figure}) {
          auto found = difference_json(study, arms[arm]->result.name, arms[other]->result.name, *what);
          if (!found.is_null()) list.push_back(std::move(found));
        }
      }
    }
  }
  return list;
}

nlohmann::ordered_json seed_tiers_json(const SimulatedStudy& study) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  if (study.seeds.size() < seeds_for_verdict) return list;
  for (const SeedComparison& comparison : seed_comparisons(study)) {
    nlohmann::ordered_json tiers = nlohmann::ordered_json::array();
    for (const std::vector<std::size_t>& tier : comparison.tiers) {
      nlohmann::ordered_json& names = tiers.emplace_back(nlohmann::ordered_json::array());
      for (const std::size_t place : tier) names.push_back(comparison.arms[place].name());
    }
    list.push_back({{"where", comparison.where},
                    {"figure", comparison.question->figure->key},
                    {"tiers", std::move(tiers)}});
  }
  return list;
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
