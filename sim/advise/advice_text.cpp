// Advice as a document: its text, rows and JSON.
#include "sim/advise/advice_text.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line/table_json.hpp"
#include "command_line/wrapped_table.hpp"
#include "sim/report/terminal_text.hpp"
#include "sim/scenario/fields_planning.hpp"

namespace sim::advise {
namespace {

using Json = nlohmann::ordered_json;
using command_line::Table;

std::string errors_sentence(const Advised& advised) {
  struct Named {
    Predicted what;
    std::string_view name;
  };
  constexpr std::array all{Named{Predicted::time, "time"}, Named{Predicted::step, "step"},
                           Named{Predicted::epochs, "epochs"}};
  std::string text;
  int configurations = 0;
  bool held_out = false;
  for (const Named& named : all) {
    const auto errors = errors_of(advised, named.what);
    if (!errors) continue;
    configurations = errors->configurations;
    held_out = errors->held_out;
    text += fmt::format("{}{} mean {:.1f} %, worst {:.1f} %", text.empty() ? "" : "; ", named.name,
                        100 * errors->mean, 100 * errors->worst);
  }
  if (text.empty()) return "";
  return fmt::format("errors over {} configurations {}: {}", configurations,
                     held_out ? "without a profile" : "that were all profiled", text);
}

/// The true columns say nothing where nothing is known.
Table legible(Table table, const Advised& advised) {
  constexpr std::array<std::string_view, 4> truth{"true_time_s", "true_cost_usd", "time_error", "cost_error"};
  constexpr std::array<std::string_view, 1> twice{"cost_error"};
  return advised.oracle ? without(std::move(table), twice) : without(std::move(table), truth);
}

/// Searches without the figure that the objective does not look at.
Table of_objective(Table table, const Advised& advised) {
  constexpr std::array<std::string_view, 1> time{"time_over_oracle"};
  constexpr std::array<std::string_view, 1> cost{"cost_over_oracle"};
  switch (advised.arm->planning.objective) {
    case policies::PlanningObjective::time: return without(std::move(table), cost);
    case policies::PlanningObjective::cost: return without(std::move(table), time);
    case policies::PlanningObjective::knee: return table;
  }
  return table;
}

std::string arm_text(const Advised& advised, const AdvisedPlan& plan) {
  std::string text = plan.arms.size() == 1 ? "" : advised.arm->name + "\n";
  text += report::wrap(fmt::format("advice ({}): {}", settings::name_of(advised.arm->planning.objective),
                                   advice_sentence(advised)));
  text += "\n" + wrapped_table(legible(configuration_table(advised, TimeUnit::hours), advised), plan.width);
  text += "\n" + wrapped_table(of_objective(search_table(advised, TimeUnit::hours), advised), plan.width);
  const std::string errors = errors_sentence(advised);
  if (!errors.empty()) text += "\n" + report::wrap(errors);
  return text + report::wrap("profiles and true figures: " + advised.origin);
}

Json arm_json(const Advised& advised) {
  return Json::object(
      {{"name", advised.arm->name},
       {"objective", settings::name_of(advised.arm->planning.objective)},
       {"advice", advice_sentence(advised)},
       {"origin", advised.origin},
       {"configurations", command_line::rows_json(configuration_table(advised, TimeUnit::seconds))},
       {"searches", command_line::rows_json(search_table(advised, TimeUnit::seconds))}});
}

std::string plan_text(const AdvisedPlan& advised) {
  std::string text = report::wrap(advised.plan->question);
  for (const Advised& arm : advised.arms) text += "\n" + arm_text(arm, advised);
  if (!advised.bounds.empty()) text += "\ncompared with bounds\n" + bounds_text(advised.bounds);
  return text;
}

/// The configurations of all arms, with the arm's name before them.
Table plan_rows(const AdvisedPlan& advised) {
  Table all;
  for (const Advised& arm : advised.arms) {
    Table table = configuration_table(arm, TimeUnit::seconds);
    if (all.columns.empty()) {
      all.columns = {{"arm", "arm", command_line::Measure::none}};
      std::ranges::move(table.columns, std::back_inserter(all.columns));
    }
    for (auto& row : table.rows) {
      row.insert(row.begin(), arm.arm->name);
      all.rows.push_back(std::move(row));
    }
  }
  return all;
}

void put_plan(Json& object, const AdvisedPlan& advised) {
  object["scenario"] = advised.file;
  object["question"] = advised.plan->question;
  object["arms"] = Json::array();
  object["bounds"] = Json::array();
  object["warnings"] = advised.plan->warnings;
  for (const Advised& arm : advised.arms) object["arms"].push_back(arm_json(arm));
  for (const JudgedBound& bound : advised.bounds) {
    const std::optional<bool> met = bound.met();
    object["bounds"].push_back(Json::object({{"arm", bound.bound->arms},
                                             {"metric", settings::name_of(bound.bound->metric)},
                                             {"ours", bound.ours ? Json(*bound.ours) : Json(nullptr)},
                                             {"at_most", bound.bound->at_most},
                                             {"judged", bound.bound->judged},
                                             {"met", met ? Json(*met) : Json(nullptr)},
                                             {"source", bound.bound->source}}));
  }
}

}  // namespace

command_line::Document advice_document(const AdvisedPlan& advised) {
  return {.text = [advised] { return plan_text(advised); },
          .rows = [advised] { return plan_rows(advised); },
          .put_json = [advised](Json& object) { put_plan(object, advised); }};
}

}  // namespace sim::advise
