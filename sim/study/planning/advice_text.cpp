// Prints advice in three formats.
#include "sim/study/planning/advice_text.hpp"

#include <array>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/output/csv.hpp"
#include "sim/output/json.hpp"
#include "sim/output/table.hpp"
#include "sim/output/wrap.hpp"
#include "sim/scenario/fields_planning.hpp"
#include "sim/study/planning/advice_reasons.hpp"
#include "sim/study/planning/advice_sheets.hpp"

namespace sim::study::planning {
namespace {

using Json = nlohmann::ordered_json;
using output::Sheet;

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
Sheet legible(Sheet sheet, const Advised& advised) {
  constexpr std::array<std::string_view, 4> truth{"true_time_s", "true_cost_usd", "time_error", "cost_error"};
  constexpr std::array<std::string_view, 1> twice{"cost_error"};
  return advised.oracle ? without(std::move(sheet), twice) : without(std::move(sheet), truth);
}

std::string arm_text(const Advised& advised, bool alone) {
  std::string text = alone ? "" : advised.arm->name + "\n";
  text += output::wrap(fmt::format("advice ({}): {}", scenario::name_of(advised.arm->planning.objective),
                                   advice_sentence(advised)));
  text += "\n" + table(legible(configuration_sheet(advised, TimeUnit::hours), advised));
  text += "\n" + table(search_sheet(advised, TimeUnit::hours));
  const std::string errors = errors_sentence(advised);
  if (!errors.empty()) text += "\n" + output::wrap(errors);
  return text + output::wrap("profiles and true figures: " + advised.origin);
}

Json json_of(const output::Cell& cell) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return nullptr;
        else
          return value;
      },
      cell);
}

Json rows_json(const Sheet& sheet) {
  Json rows = Json::array();
  for (const auto& row : sheet.rows) {
    Json& object = rows.emplace_back(Json::object());
    for (std::size_t column = 0; column < row.size(); ++column)
      object[sheet.headings[column].key] = json_of(row[column]);
  }
  return rows;
}

Json arm_json(const Advised& advised) {
  return Json::object({{"name", advised.arm->name},
                       {"objective", scenario::name_of(advised.arm->planning.objective)},
                       {"advice", advice_sentence(advised)},
                       {"origin", advised.origin},
                       {"configurations", rows_json(configuration_sheet(advised, TimeUnit::seconds))},
                       {"searches", rows_json(search_sheet(advised, TimeUnit::seconds))}});
}

}  // namespace

std::string advice_text(const AdvisedPlan& advised) {
  std::string text = output::wrap(advised.plan->question);
  for (const Advised& arm : advised.arms) text += "\n" + arm_text(arm, advised.arms.size() == 1);
  if (!advised.bounds.empty()) text += "\nheld against bounds\n" + bounds_text(advised.bounds);
  return text;
}

std::string advice_csv(const AdvisedPlan& advised) {
  std::string text;
  for (const Advised& arm : advised.arms) {
    Sheet sheet = configuration_sheet(arm, TimeUnit::seconds);
    sheet.headings.insert(sheet.headings.begin(), {"arm", "arm", output::Measure::none});
    for (auto& row : sheet.rows) row.insert(row.begin(), arm.arm->name);
    text += (text.empty() ? csv_header(sheet) : "") + csv_rows(sheet);
  }
  return text;
}

std::string advice_json(const AdvisedPlan& advised) {
  Json object = Json::object({{"schema_version", output::json_schema_version},
                              {"scenario", advised.file},
                              {"question", advised.plan->question},
                              {"arms", Json::array()},
                              {"bounds", Json::array()},
                              {"warnings", advised.plan->warnings}});
  for (const Advised& arm : advised.arms) object["arms"].push_back(arm_json(arm));
  for (const JudgedBound& bound : advised.bounds) {
    object["bounds"].push_back(Json::object({{"arm", bound.bound->arms},
                                             {"metric", scenario::name_of(bound.bound->metric)},
                                             {"ours", bound.ours ? Json(*bound.ours) : Json(nullptr)},
                                             {"at_most", bound.bound->at_most},
                                             {"met", bound.met()},
                                             {"source", bound.bound->source}}));
  }
  return object.dump(2) + "\n";
}

}  // namespace sim::study::planning
