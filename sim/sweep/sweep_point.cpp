// Playing a point, and passing its results on.
#include "sim/sweep/sweep_point.hpp"

#include <nlohmann/json.hpp>

#include "command_line/table_json.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/steps_csv.hpp"
#include "sim/scenario/study.hpp"

namespace sim::sweep {
namespace {

using netmodels::Result;
using nlohmann::ordered_json;

/// The whole runs, one row for each arm.
command_line::Table whole_runs(const report::SimulatedStudy& study) {
  std::vector<report::RunPart> rows;
  for (const report::SimulatedArm& arm : study.arms) rows.push_back({&study, &arm, &arm.result.whole, true});
  return report::metric_table(rows, report::in_sweeps);
}

}  // namespace

Result<SimulatedPoint> simulate_point(const std::string& file, const std::vector<std::string>& settings,
                                      const std::filesystem::path& data_dir, bool with_steps) {
  GRADSIM_TRY(reading, scenario::read_study(file, settings, data_dir, report::expectable_metrics()));
  engine::LearnerShelf shelf(data_dir);
  engine::ClusterCache clusters;
  report::SimulatedStudy study;
  study.file = file;
  report::StepLines steps;
  engine::Listeners listeners;
  if (with_steps) listeners.step = [&steps](const engine::StepRecord& step) { steps.add(step); };
  for (const scenario::Scenario& arm : reading->study.arms) {
    steps.begin_arm(arm.name);
    GRADSIM_TRY(result, engine::simulate(arm, listeners, shelf, clusters));
    study.arms.push_back({&arm, std::move(*result)});
  }
  return SimulatedPoint{print_study(*reading), whole_runs(study),
                        with_steps ? std::string(report::StepLines::header()) + steps.text() : ""};
}

std::string pack(const SimulatedPoint& point) {
  ordered_json keys = ordered_json::array();
  for (const command_line::Column& heading : point.rows.columns) keys.push_back(heading.key);
  ordered_json rows = ordered_json::array();
  for (const auto& row : point.rows.rows) {
    ordered_json cells = ordered_json::array();
    for (const command_line::Cell& cell : row) cells.push_back(command_line::cell_json(cell));
    rows.push_back(std::move(cells));
  }
  std::string bytes;
  ordered_json::to_cbor(
      ordered_json{{"scenario", point.scenario}, {"keys", keys}, {"rows", rows}, {"steps", point.steps}},
      bytes);
  return bytes;
}

SimulatedPoint unpack(const std::string& bytes) {
  const ordered_json json = ordered_json::from_cbor(bytes);
  SimulatedPoint point{json.at("scenario").get<std::string>(), {}, json.at("steps").get<std::string>()};
  for (const ordered_json& key : json.at("keys"))
    point.rows.columns.push_back({key.get<std::string>(), "", {}});
  for (const ordered_json& cells : json.at("rows")) {
    auto& row = point.rows.rows.emplace_back();
    for (const ordered_json& cell : cells) row.push_back(command_line::cell_of(cell));
  }
  return point;
}

}  // namespace sim::sweep
