// Handing points to processes, and their results to the store.
#include "sim/sweep/sweep.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "sim/report/metric.hpp"
#include "sim/scenario/study.hpp"
#include "sim/sweep/named_files.hpp"
#include "sim/sweep/process_pool.hpp"
#include "sim/sweep/sweep_point.hpp"

namespace sim::sweep {
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

/// Values of axes are laid over the file as settings are, so a refusal of one is at the axis.
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

/// Plays the point of this number. @returns it packed
/// @throws std::runtime_error where it is refused
std::string play(const SweepRequest& request, const std::vector<SweepPoint>& points, std::size_t number) {
  auto played =
      simulate_point(request.file, settings_at(request, points[number]), request.data_dir, request.steps);
  if (!played) throw std::runtime_error(at_axis(played.error(), request.plan).text());
  return pack(*played);
}

/// Numbers of the points that are not known, rising.
std::vector<std::size_t> without_known(std::size_t count, const std::vector<std::size_t>& known) {
  std::vector<std::size_t> left;
  for (std::size_t number = 0; number < count; ++number)
    if (!std::ranges::binary_search(known, number)) left.push_back(number);
  return left;
}

}  // namespace

Result<SweepIdentity> identify(const SweepRequest& request) {
  GRADSIM_TRY(points, sweep_points(request.plan));
  const auto first = read_at(request, points->front());
  if (!first) return tl::unexpected(at_axis(first.error(), request.plan));
  if (auto checked = check_values(request, *points); !checked) return tl::unexpected(checked.error());
  return SweepIdentity{
      request.file,    first->study.question,  print_study(*first) + contents_of_files(first->resolved),
      request.program, describe(request.plan), request.plan.axes,
      request.steps,   points->size()};
}

Result<SweepOutcome> sweep(const SweepRequest& request, const SweepEffort& effort, SweepStore& store) {
  GRADSIM_TRY(points, sweep_points(request.plan));
  const std::vector<std::size_t> known = store.done();
  SweepOutcome outcome{points->size(), 0, known.size(), 0};
  sweep::PooledWork all;
  all.pieces = without_known(points->size(), known);
  all.jobs = effort.jobs;
  all.timeout = effort.timeout;
  all.stop = effort.stop;
  all.work = [&](std::size_t number) { return play(request, *points, number); };
  all.done = [&](std::size_t number, sweep::WorkOutcome ended) {
    SweptPoint point{number, values_at(request.plan, (*points)[number]), ended.failure, ended.duration, {},
                     {}};
    if (!ended.failure) {
      SimulatedPoint played = unpack(ended.text);
      point.scenario = std::move(played.scenario);
      point.rows = std::move(played.rows);
      point.steps = std::move(played.steps);
    }
    store.write(point);
    ++outcome.played;
    outcome.failed += ended.failure ? 1 : 0;
    if (effort.said) effort.said(point, outcome.known + outcome.played, outcome.points);
  };
  if (effort.ranks != nullptr)
    effort.ranks->hand_out(all);
  else
    sweep::run_in_processes(all);
  return outcome;
}

Result<void> serve_sweep(const SweepRequest& request, std::optional<netmodels::Seconds> timeout,
                         sweep::Ranks& ranks) {
  GRADSIM_TRY(points, sweep_points(request.plan));
  ranks.serve([&](std::size_t number) { return play(request, *points, number); }, timeout);
  return {};
}

}  // namespace sim::sweep
