// Makes a scenario of each measured figure, and runs it.
#include "sim/fit/step_cases.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "netmodels/collective.hpp"
#include "netmodels/nearest.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/arms.hpp"
#include "sim/scenario/nccl_keys.hpp"

namespace sim::fit {
namespace {

using netmodels::Bytes;
using netmodels::Error;
using netmodels::Result;
using netmodels::Seconds;
using scenario::Scenario;
using scenario::StepFigure;

Result<const Scenario*> find_arm(const scenario::Study& study, const StepFigure& figure) {
  if (!figure.arm) return &study.arms.front();
  std::vector<std::string_view> names;
  for (const Scenario& arm : study.arms) {
    if (arm.name == *figure.arm) return &arm;
    names.push_back(arm.name);
  }
  const bool has_arms = names.front() != scenario::only_arm;
  return netmodels::refuse(
      figure.where, "unknown arm `" + *figure.arm + "`",
      has_arms ? netmodels::accepted_names(*figure.arm, names) : "the scenario has no arms: leave out `arm`");
}

bool names_all_reduce(const std::string& collective) {
  const auto row = netmodels::find_collective(collective);
  return row && (*row)->kind == netmodels::CollectiveKind::all_reduce;
}

/// A gradient of this size that takes no time to compute, sent at once.
void leave_all_reduce(Scenario& arm, Bytes size) {
  constexpr double bytes_per_value = 4;
  netmodels::Layer buffer;
  buffer.name = "buffer";
  buffer.parameters = std::llround(size.count / bytes_per_value);
  arm.work.workload = {};
  arm.work.workload.layers = {buffer};
  scenario::Exchange exchange;
  if (names_all_reduce(arm.exchange.collective)) exchange.collective = arm.exchange.collective;
  exchange.among = arm.exchange.among;
  exchange.chunks = arm.exchange.chunks;
  exchange.overlap = false;
  exchange.broadcast_buffers = false;
  exchange.first_bucket = exchange.bucket = Bytes{};
  arm.exchange = exchange;
  arm.exchange.compression = {};
  arm.work.compute = {};
  arm.exchange.synchronisation = {};
  arm.work.batching = {};
  arm.work.streams.reset();
}

Result<StepCase> make_case(const StepFigure& figure, std::string name, const scenario::Study& study) {
  GRADSIM_TRY(arm, find_arm(study, figure));
  StepCase made{figure, std::move(name), (*arm)->name, **arm};
  made.scenario.cluster.changes.clear();
  if (figure.alone) leave_alone(made.scenario);
  if (figure.allreduce) leave_all_reduce(made.scenario, *figure.bytes);
  if (figure.allreduce && made.scenario.cluster.workers < 2)
    return netmodels::refuse(figure.where, "an all-reduce needs 2 workers or more, the scenario has 1",
                             "write `workers` beside it");
  return made;
}

/// Errors of the scenario with fewer or more workers name the figure, too.
Error of_figure(Error error, const StepFigure& figure) {
  if (error.where != "--set cluster.workers" && !error.where.empty()) {
    error.what = fmt::format("{}: {}", error.where, error.what);
  }
  error.where = figure.where;
  return error;
}

}  // namespace

void leave_alone(Scenario& arm) {
  scenario::Cluster one;
  if (scenario::nccl_of(arm.work, arm.cluster, arm.exchange, arm.simulation.evaluator) ==
      nullptr) {  // else the link is not fitted
    one.link = arm.cluster.link;
    one.link_range = arm.cluster.link_range;
  }
  arm.cluster = one;
  arm.work.training.batches.clear();
  arm.exchange.synchronisation = {};
  arm.exchange.compression = {};
}

Result<std::vector<StepCase>> step_cases(const scenario::StepFigures& figures,
                                         std::span<const std::string> settings,
                                         const std::filesystem::path& data_dir) {
  std::vector<StepCase> cases;
  for (std::size_t i = 0; i < figures.measured.size(); ++i) {
    const StepFigure& figure = figures.measured[i];
    std::vector<std::string> all(settings.begin(), settings.end());
    if (figure.workers) all.push_back(fmt::format("cluster.workers={}", *figure.workers));
    auto reading = scenario::read_study(figures.scenario, all, data_dir, report::expectable_metrics());
    if (!reading && figure.workers) return tl::unexpected(of_figure(std::move(reading.error()), figure));
    if (!reading) return tl::unexpected(std::move(reading.error()));
    GRADSIM_TRY(made, make_case(figure, fmt::format("measured[{}]", i), reading->study));
    cases.push_back(std::move(*made));
  }
  return cases;
}

Result<Seconds> time_of(const StepCase& measured, engine::ClusterCache& clusters) {
  const auto steps = engine::explain(measured.scenario, clusters, {.compression_worth = false});
  if (!steps) return tl::unexpected(of_figure(steps.error(), measured.figure));
  if (!measured.figure.allreduce) return steps->front().step.duration;
  Seconds sum;
  for (const engine::ExplainedExchange& exchange : steps->front().exchanges) sum += exchange.duration;
  return sum;
}

}  // namespace sim::fit
