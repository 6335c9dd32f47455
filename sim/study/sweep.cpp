// Handing points to processes, and their results to the store.
#include "sim/study/sweep.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "sim/scenario/study.hpp"
#include "sim/study/process_pool.hpp"
#include "sim/study/sweep_point.hpp"

namespace sim::study {
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

}  // namespace

Result<SweepIdentity> identify(const SweepRequest& request) {
  const auto points = sweep_points(request.plan);
  if (!points) return tl::unexpected(points.error());
  const auto first =
      scenario::read_study(request.file, settings_at(request, points->front()), request.data_dir);
  if (!first) return tl::unexpected(at_axis(first.error(), request.plan));
  return SweepIdentity{request.file,    first->study.question,  print_study(*first),
                       request.program, describe(request.plan), request.plan.axes};
}

Result<SweepOutcome> sweep(const SweepRequest& request, const SweepEffort& effort, SweepStore& store) {
  const auto points = sweep_points(request.plan);
  if (!points) return tl::unexpected(points.error());
  const std::vector<std::size_t> known = store.done();
  std::vector<std::size_t> left;
  for (std::size_t number = 0; number < points->size(); ++number)
    if (!std::ranges::binary_search(known, number)) left.push_back(number);
  SweepOutcome outcome{points->size(), 0, known.size(), 0};

  PooledWork all;
  all.count = left.size();
  all.jobs = effort.jobs;
  all.timeout = effort.timeout;
  all.stop = effort.stop;
  all.work = [&](std::size_t piece) {
    auto played = play_point(request.file, settings_at(request, (*points)[left[piece]]), request.data_dir);
    if (!played) throw std::runtime_error(at_axis(played.error(), request.plan).text());
    return pack(*played);
  };
  all.done = [&](std::size_t piece, WorkOutcome ended) {
    SweptPoint point{
        left[piece], values_at(request.plan, (*points)[left[piece]]), ended.failure, ended.duration, {}, {}};
    if (!ended.failure) {
      PlayedPoint played = unpack(ended.text);
      point.scenario = std::move(played.scenario);
      point.rows = std::move(played.rows);
    }
    store.write(point);
    ++outcome.played;
    outcome.failed += ended.failure ? 1 : 0;
    if (effort.said) effort.said(point, outcome.known + outcome.played, outcome.points);
  };
  run_in_processes(all);
  return outcome;
}

}  // namespace sim::study
