// Playing a point, and passing its results on.
#include "sim/study/sweeps/sweep_point.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "sim/engine/play.hpp"
#include "sim/output/comparison.hpp"
#include "sim/output/steps_csv.hpp"
#include "sim/scenario/study.hpp"

namespace sim::study::sweeps {
namespace {

using netmodels::Result;
using Json = nlohmann::json;

Json to_json(const output::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  if (const auto* value = std::get_if<double>(&cell)) return *value;
  return nullptr;
}

output::Cell from_json(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number()) return json.get<std::int64_t>();
  return std::monostate{};
}

/// The whole runs, one row for each arm.
output::Sheet whole_runs(const output::PlayedStudy& study) {
  std::vector<output::ComparisonRow> rows;
  for (const output::PlayedArm& arm : study.arms) rows.push_back(output::rows_of(study, arm).back());
  constexpr std::array<std::string_view, 2> elsewhere{"scenario", "phase"};
  return output::without(
      output::fill(output::comparison_columns(), std::span<const output::ComparisonRow>(rows)), elsewhere);
}

}  // namespace

Result<PlayedPoint> play_point(const std::string& file, const std::vector<std::string>& settings,
                               const std::filesystem::path& data_dir, bool with_steps) {
  const auto reading = scenario::read_study(file, settings, data_dir);
  if (!reading) return tl::unexpected(reading.error());
  engine::LearnerShelf shelf(data_dir);
  output::PlayedStudy study;
  study.file = file;
  output::StepLines steps;
  engine::Listeners listeners;
  if (with_steps) listeners.step = [&steps](const engine::StepRecord& step) { steps.add(step); };
  for (const scenario::Scenario& arm : reading->study.arms) {
    steps.begin_arm(arm.name);
    auto result = engine::play(arm, listeners, shelf);
    if (!result) return tl::unexpected(result.error());
    study.arms.push_back({&arm, std::move(*result)});
  }
  return PlayedPoint{print_study(*reading), whole_runs(study),
                     with_steps ? std::string(output::StepLines::header()) + steps.text() : ""};
}

std::string pack(const PlayedPoint& point) {
  Json keys = Json::array();
  for (const output::Heading& heading : point.rows.headings) keys.push_back(heading.key);
  Json rows = Json::array();
  for (const auto& row : point.rows.rows) {
    Json cells = Json::array();
    for (const output::Cell& cell : row) cells.push_back(to_json(cell));
    rows.push_back(std::move(cells));
  }
  std::string bytes;
  Json::to_cbor(Json{{"scenario", point.scenario}, {"keys", keys}, {"rows", rows}, {"steps", point.steps}},
                bytes);
  return bytes;
}

PlayedPoint unpack(const std::string& bytes) {
  const Json json = Json::from_cbor(bytes);
  PlayedPoint point{json.at("scenario").get<std::string>(), {}, json.at("steps").get<std::string>()};
  for (const Json& key : json.at("keys")) point.rows.headings.push_back({key.get<std::string>(), "", {}});
  for (const Json& cells : json.at("rows")) {
    auto& row = point.rows.rows.emplace_back();
    for (const Json& cell : cells) row.push_back(from_json(cell));
  }
  return point;
}

}  // namespace sim::study::sweeps
