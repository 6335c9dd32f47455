// Published figures and the simulator's, from the JSON output of `sim run` and `sim advise`.
#include "calibrate/imports/sim_result.hpp"

#include <cmath>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "calibrate/imports/json_members.hpp"
#include "calibrate/imports/json_text.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;
using nlohmann::json;

/// arm, metric, and further keys of the metric.
std::string label(const json& figure) {
  std::string text = text_or_empty(member(figure, "arm")) + " " + text_or_empty(member(figure, "metric"));
  for (const char* part : {"phase", "of", "over"}) {
    const std::string value = text_or_empty(member(figure, part));
    if (!value.empty()) text += std::string(" ") + part + " " + value;
  }
  return text;
}

void add(SimFigure figure, const json& theirs, const json& ours, std::vector<SimFigure>& figures) {
  if (!theirs.is_number() || !ours.is_number()) return;
  figure.theirs = theirs.get<double>();
  figure.ours = ours.get<double>();
  if (std::isfinite(figure.theirs) && std::isfinite(figure.ours) && figure.theirs != 0)
    figures.push_back(std::move(figure));
}

/// Whether a bound judges it, by itself or with others; results that do not say so were judged.
bool is_judged(const json& figure) {
  const auto says = [&](const char* key, bool fallback) {
    const json& value = member(figure, key);
    return value.is_boolean() ? value.get<bool>() : fallback;
  };
  return says("judged", true) || says("judged_with_others", false);
}

}  // namespace

Result<std::vector<SimFigure>> read_sim_result(std::string_view text, const std::string& source) {
  GRADSIM_TRY(parsed, parse_json(text, source));
  const json& document = *parsed;
  if (!member(document, "schema_version").is_number())
    return refuse(source, "this is not a result of the simulator",
                  "use the output of `sim run FILE --format json` or `sim advise FILE --format json`");
  const std::string scenario =
      std::filesystem::path(text_or_empty(member(document, "scenario"))).filename().string();
  std::vector<SimFigure> figures;
  for (const json& figure : member(member(document, "expectations"), "figures")) {
    const std::string role = text_or_empty(member(figure, "role"));
    const bool is_fitted = role == "fitted";
    const bool is_input =
        is_fitted || role == "input" || text_or_empty(member(figure, "source")).ends_with("(an input)");
    const std::string arm = text_or_empty(member(figure, "arm"));
    add({scenario, label(figure), 0, 0, is_input, arm, is_fitted, is_judged(figure)},
        member(figure, "theirs"), member(figure, "ours"), figures);
  }
  for (const json& arm : member(document, "arms")) {
    for (const json& each : member(arm, "configurations")) {
      add({scenario,
           text_or_empty(member(arm, "name")) + " on " + member(each, "workers").dump() +
               " workers at batch " + member(each, "batch").dump(),
           0, 0, text_or_empty(member(each, "profiled")) == "yes", text_or_empty(member(arm, "name"))},
          member(each, "true_time_s"), member(each, "predicted_time_s"), figures);
    }
  }
  return figures;
}

}  // namespace calibrate::imports
