// Runs the points of a sweep.
#include "sim/sweep/sweep.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line/table_json.hpp"
#include "files/input_file.hpp"
#include "files/text_hash.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/seed_figures.hpp"
#include "sim/report/steps_csv.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/study.hpp"
#include "sim/sweep/process_pool.hpp"

namespace sim::sweep {

// Walks a scenario for whole paths of files.

namespace {

namespace fs = std::filesystem;
using language::Value;

void collect(const Value& value, std::set<fs::path>& files) {
  if (value.is_scalar()) {
    const fs::path path = value.text();
    std::error_code unknown;
    if (path.is_absolute() && fs::is_regular_file(path, unknown)) files.insert(path);
  }
  if (value.is_map())
    for (const language::Member& member : value.members()) collect(member.value, files);
  if (value.is_list())
    for (const Value& item : value.items()) collect(item, files);
}

}  // namespace

std::string contents_of_files(const Value& resolved) {
  std::set<fs::path> files;
  collect(resolved, files);
  std::string lines;
  for (const fs::path& path : files) {
    const auto text = files::read_bytes(path, {std::numeric_limits<std::size_t>::max()});
    if (!text) throw std::runtime_error(text.error().text());
    lines += fmt::format("# {}: {} bytes, {}\n", path.string(), text->size(), files::hash_of(*text));
  }
  return lines;
}

// Runs a point and passes its results on.

namespace {

using netmodels::Result;
using nlohmann::ordered_json;

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
  GRADSIM_TRY(finite, report::check_finite(study));
  return SimulatedPoint{print_study(*reading), report::whole_run_rows(study),
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

// Handing points to processes, and their results to the store.

namespace {

using netmodels::Error;
using netmodels::Result;

std::vector<std::string> settings_at(const SweepRequest& request, const SweepPoint& point) {
  std::vector<std::string> settings = request.settings;
  for (std::string& setting : settings_of(request.plan.axes, point)) settings.push_back(std::move(setting));
  return settings;
}

std::vector<std::string> values_at(const SweepPlan& plan, const SweepPoint& point) {
  std::vector<std::string> values;
  for (std::size_t axis = 0; axis < plan.axes.size(); ++axis)
    values.push_back(plan.axes[axis].values[point[axis]]);
  return values;
}

std::string describe(const SweepPlan& plan) {
  switch (plan.design) {
    case SweepDesign::grid: return "grid";
    case SweepDesign::one_at_a_time: return "one_at_a_time";
    case SweepDesign::latin_hypercube:
      return fmt::format("latin_hypercube of {} points, seed {}", plan.points.value_or(0), plan.seed);
  }
  return "";
}

/// Values of axes override the file as settings do, so an error in one is at the axis.
Error at_axis(Error error, const SweepPlan& plan) {
  for (const SweepAxis& axis : plan.axes) {
    if (error.where == "--set " + axis.key) error.where = "--axis " + axis.key;
  }
  return error;
}

Result<scenario::Reading> read_at(const SweepRequest& request, const SweepPoint& point) {
  return scenario::read_study(request.file, settings_at(request, point), request.data_dir,
                              report::expectable_metrics());
}

/// Reads the points that have a value until one is accepted.
/// @returns what is wrong with a value wherever it is used, at `--axis KEY=VALUE`
Result<void> check_value(const SweepRequest& request, const std::vector<SweepPoint>& points, std::size_t axis,
                         std::size_t value) {
  std::optional<Error> refused;
  for (const SweepPoint& point : points) {
    if (point[axis] != value) continue;
    auto reading = read_at(request, point);
    if (reading) return {};
    if (!refused) refused = at_axis(std::move(reading.error()), request.plan);
  }
  if (!refused) return {};
  const SweepAxis& of = request.plan.axes[axis];
  const bool here = refused->where == "--axis " + of.key;
  return tl::unexpected(Error{fmt::format("--axis {}={}", of.key, of.values[value]),
                              (here ? "" : refused->where + ": ") + refused->what, refused->hint});
}

Result<void> check_values(const SweepRequest& request, const std::vector<SweepPoint>& points) {
  for (std::size_t axis = 0; axis < request.plan.axes.size(); ++axis) {
    for (const std::size_t value : request.plan.axes[axis].written) {
      if (value == points.front()[axis]) continue;  // read already
      if (auto checked = check_value(request, points, axis, value); !checked) return checked;
    }
  }
  return {};
}

/// Runs the point of this number. @returns it packed
/// @throws std::runtime_error where it is refused
std::string simulate_numbered(const SweepRequest& request, const std::vector<SweepPoint>& points,
                              std::size_t number) {
  auto simulated =
      simulate_point(request.file, settings_at(request, points[number]), request.data_dir, request.steps);
  if (!simulated) throw std::runtime_error(at_axis(simulated.error(), request.plan).text());
  return pack(*simulated);
}

/// Numbers of the points of a part that are not known, rising.
std::vector<std::size_t> without_known(const SweepPart& part, std::size_t count,
                                       const std::vector<std::size_t>& known) {
  std::vector<std::size_t> left;
  for (std::size_t number = part.number - 1; number < count; number += part.count)
    if (!std::ranges::binary_search(known, number)) left.push_back(number);
  return left;
}

/// Numbers that are in one or both of two rising lists.
std::vector<std::size_t> known_points(const std::vector<std::size_t>& here,
                                      const std::vector<std::size_t>& elsewhere) {
  std::vector<std::size_t> known;
  std::ranges::set_union(here, elsewhere, std::back_inserter(known));
  return known;
}

}  // namespace

Result<SweepIdentity> identify(const SweepRequest& request, std::vector<std::string>* warnings) {
  GRADSIM_TRY(points, sweep_points(request.plan));
  const auto first = read_at(request, points->front());
  if (!first) return tl::unexpected(at_axis(first.error(), request.plan));
  for (std::size_t arm = 0; arm < first->arms.size(); ++arm) {
    auto single = scenario::check_single_run(first->study.arms[arm].simulation.seeds,
                                             first->study.arms[arm].simulation.uncertainty, first->arms[arm],
                                             "a sweep");
    if (!single) return tl::unexpected(single.error());
  }
  if (auto checked = check_values(request, *points); !checked) return tl::unexpected(checked.error());
  if (warnings != nullptr) *warnings = first->study.warnings;
  return SweepIdentity{
      request.file,    first->study.question,  print_study(*first) + contents_of_files(first->resolved),
      request.program, describe(request.plan), request.plan.axes,
      request.steps,   points->size(),         request.part};
}

Result<SweepOutcome> sweep(const SweepRequest& request, const SweepEffort& effort, SweepStore& store) {
  GRADSIM_TRY(points, sweep_points(request.plan));
  sweep::PooledWork all;
  all.pieces =
      without_known(request.part, points->size(), known_points(store.done(), effort.known_elsewhere));
  SweepOutcome outcome{request.part.size(points->size()), 0, 0, 0};
  outcome.known = outcome.points - all.pieces.size();
  all.jobs = effort.jobs;
  all.timeout = effort.timeout;
  all.shift = netmodels::Seconds{0.5};  // a process costs as much as a point of a closed form
  all.stop = effort.stop;
  all.work = [&](std::size_t number) { return simulate_numbered(request, *points, number); };
  all.done = [&](std::size_t number, sweep::WorkOutcome ended) {
    SweptPoint point{number, values_at(request.plan, (*points)[number]), ended.failure, ended.duration, {},
                     {}};
    if (!ended.failure) {
      SimulatedPoint simulated = unpack(ended.text);
      point.scenario = std::move(simulated.scenario);
      point.rows = std::move(simulated.rows);
      point.steps = std::move(simulated.steps);
    }
    store.write(point);
    ++outcome.simulated;
    outcome.failed += ended.failure ? 1 : 0;
    if (effort.said) effort.said(point, outcome.known + outcome.simulated, outcome.points);
  };
  sweep::run_in_processes(all);
  return outcome;
}

}  // namespace sim::sweep
