// Means over seeds, their differences on common seeds, and tiers, as JSON.
#include "sim/report/seed_json.hpp"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/report/seed_comparison.hpp"
#include "sim/report/seed_figures.hpp"
#include "sim/report/seed_statistics.hpp"

namespace sim::report {

nlohmann::ordered_json seeds_json(const SimulatedStudy& study) {
  nlohmann::ordered_json arms = nlohmann::ordered_json::array();
  if (study.seeds.empty()) return arms;
  for (const SimulatedArm& arm : study.arms) {
    nlohmann::ordered_json object{{"arm", arm.result.name}, {"seeds", study.seeds.size()}};
    for (const SeedFigure* what : {&step_figure, &total_figure, &accuracy_figure, &target_figure,
                                   &sample_figure, &target_cost_figure, &sample_cost_figure}) {
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
        for (const SeedFigure* what :
             {&sample_figure, &accuracy_figure, &target_figure, &sample_cost_figure, &target_cost_figure}) {
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

}  // namespace sim::report
