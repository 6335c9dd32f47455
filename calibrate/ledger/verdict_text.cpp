// An evaluated ledger as a document: its text, rows and JSON.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "calibrate/ledger/verdict.hpp"

namespace calibrate::ledger {
namespace {

using command_line::Table;
using nlohmann::ordered_json;

/// `goal median 2 %: met; `; empty without a goal.
std::string print_goal(const Verdict& verdict) {
  const auto met = verdict.meets_goal();
  if (!met) return "";
  return fmt::format("goal {}: {}; ", print_band(*verdict.entry.goal), *met ? "met" : "MISSED");
}

std::string print_line(const Verdict& verdict, std::size_t width) {
  const measurements::RelativeErrors& errors = verdict.errors;
  std::string shares =
      verdict.entry.band.right_side
          ? fmt::format("{:.1f} % on the right side", 100 * verdict.right_side)
          : fmt::format("mean {:.1f} %, median {:.1f} %, p90 {:.1f} %, worst {:.1f} %, bias {:+.1f} %",
                        100 * errors.mean, 100 * errors.median, 100 * errors.p90, 100 * errors.worst,
                        100 * errors.bias);
  if (const auto& decisions = verdict.decisions)
    shares += fmt::format("; {} of {} decisions right, regret {:.1f} %", decisions->right, decisions->groups,
                          100 * decisions->regret);
  return fmt::format("{:<{}}  {:>5} figures: {}; {}{} {}{}\n", verdict.entry.name, width,
                     verdict.predictions.size(), shares, print_goal(verdict),
                     verdict.not_worse() ? "not worse than recorded:" : "WORSE THAN RECORDED:",
                     print_band(verdict.entry.band), verdict.in_sample() ? " (in sample)" : "");
}

std::string print_table(const Outcome& outcome) {
  std::size_t width = 0;
  for (const Verdict& verdict : outcome.verdicts) width = std::max(width, verdict.entry.name.size());
  std::string text;
  for (const Verdict& verdict : outcome.verdicts) text += print_line(verdict, width);
  return text + print_skipped(outcome) + print_overall(outcome);
}

/// One row for each figure, its numbers rounded to the digits of the measurement.
Table figure_rows(const Outcome& outcome) {
  Table table;
  for (const char* key :
       {"entry", "rule", "table", "figure", "unit", "measured", "predicted", "error_percent", "in_sample"})
    table.columns.push_back({key, key});
  for (const Verdict& verdict : outcome.verdicts) {
    for (const Prediction& each : verdict.predictions) {
      table.rows.push_back({verdict.entry.name, std::string(verdict.entry.rule->name), each.table, each.what,
                            each.unit, fmt::format("{:.6g}", each.measured),
                            fmt::format("{:.6g}", each.predicted), fmt::format("{:.3f}", 100 * each.error()),
                            std::string(each.in_sample ? "yes" : "no")});
    }
  }
  return table;
}

/// Share in %, rounded to a thousandth: more digits would claim more than was measured.
double percent(double share) { return std::round(share * 1e5) / 1e3; }

ordered_json errors_object(const measurements::RelativeErrors& errors) {
  return {{"mean_percent", percent(errors.mean)},
          {"median_percent", percent(errors.median)},
          {"p90_percent", percent(errors.p90)},
          {"worst_percent", percent(errors.worst)},
          {"bias_percent", percent(errors.bias)}};
}

ordered_json decisions_object(const Decisions& decisions) {
  ordered_json object{{"groups", decisions.groups},
                      {"right", decisions.right},
                      {"regret_percent", percent(decisions.regret)},
                      {"worst_regret_percent", percent(decisions.worst_regret)}};
  if (decisions.rank_correlation)
    object["rank_correlation"] = std::round(*decisions.rank_correlation * 1e3) / 1e3;
  return object;
}

ordered_json entry_object(const Verdict& verdict) {
  const LedgerEntry& entry = verdict.entry;
  ordered_json figures = ordered_json::array();
  for (const Prediction& each : verdict.predictions) {
    figures.push_back({{"table", each.table},
                       {"figure", each.what},
                       {"unit", each.unit},
                       {"measured", each.measured},
                       {"predicted", each.predicted},
                       {"error_percent", percent(each.error())},
                       {"in_sample", each.in_sample}});
  }
  ordered_json object{{"entry", entry.name},
                      {"rule", entry.rule->name},
                      {"seen", entry.rule->seen},
                      {"predicted", entry.rule->predicted},
                      {"errors", errors_object(verdict.errors)},
                      {"right_side_percent", percent(verdict.right_side)},
                      {"recorded", print_band(entry.band)},
                      {"not_worse_than_recorded", verdict.not_worse()},
                      {"source", entry.source}};
  if (const auto met = verdict.meets_goal()) {
    object["goal"] = print_band(*entry.goal);
    object["goal_met"] = *met;
  }
  if (verdict.decisions) object["decisions"] = decisions_object(*verdict.decisions);
  object["figures"] = std::move(figures);
  return object;
}

void put_outcome(ordered_json& object, const Outcome& outcome) {
  object["entries"] = ordered_json::array();
  object["skipped"] = ordered_json::array();
  for (const Verdict& verdict : outcome.verdicts) object["entries"].push_back(entry_object(verdict));
  for (const Skipped& each : outcome.skipped)
    object["skipped"].push_back(
        {{"entry", each.name}, {"missing_files", each.missing}, {"first", each.first}});
  const auto times = distinct_times(outcome);
  object["overall"] = {{"goals_met", outcome.goals_met()},
                       {"goals", outcome.goals()},
                       {"not_worse_than_recorded", outcome.not_worse()},
                       {"judged", outcome.verdicts.size()},
                       {"times", times.size()}};
  if (!times.empty()) object["overall"]["errors"] = errors_object(errors_of(times));
}

}  // namespace

command_line::Document outcome_document(const Outcome& outcome, std::string last) {
  return {.text = [&outcome] { return print_table(outcome); },
          .rows = [&outcome] { return figure_rows(outcome); },
          .put_json = [&outcome](ordered_json& object) { put_outcome(object, outcome); },
          .page = [&outcome, last = std::move(last)] { return print_page(outcome, last); }};
}

}  // namespace calibrate::ledger
