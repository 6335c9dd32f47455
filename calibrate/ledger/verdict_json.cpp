// A played ledger as JSON.
#include "calibrate/ledger/verdict_json.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace calibrate::ledger {
namespace {

using nlohmann::ordered_json;

/// In %, rounded to a thousandth: more digits would claim more than was measured.
double percent(double share) { return std::round(share * 1e5) / 1e3; }

ordered_json errors_object(const measurements::RelativeErrors& errors) {
  return {{"mean_percent", percent(errors.mean)},
          {"median_percent", percent(errors.median)},
          {"p90_percent", percent(errors.p90)},
          {"worst_percent", percent(errors.worst)},
          {"bias_percent", percent(errors.bias)}};
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
  return {{"entry", entry.name},
          {"rule", entry.rule->name},
          {"seen", entry.rule->seen},
          {"predicted", entry.rule->predicted},
          {"errors", errors_object(verdict.errors)},
          {"right_side_percent", percent(verdict.right_side)},
          {"band", print_band(entry.band)},
          {"goal", entry.goal},
          {"source", entry.source},
          {"holds", verdict.holds()},
          {"figures", std::move(figures)}};
}

}  // namespace

std::string print_json(const Outcome& outcome) {
  ordered_json document{
      {"schema_version", 1}, {"entries", ordered_json::array()}, {"skipped", ordered_json::array()}};
  for (const Verdict& verdict : outcome.verdicts) document["entries"].push_back(entry_object(verdict));
  for (const Skipped& each : outcome.skipped)
    document["skipped"].push_back(
        {{"entry", each.name}, {"missing_files", each.missing}, {"first", each.first}});
  const auto times = distinct_times(outcome);
  document["overall"] = {
      {"held", outcome.held()}, {"judged", outcome.verdicts.size()}, {"times", times.size()}};
  if (!times.empty()) document["overall"]["errors"] = errors_object(errors_of(times));
  return document.dump(2) + "\n";
}

}  // namespace calibrate::ledger
