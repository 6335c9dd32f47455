// Puts unknowns into scenarios, fits them, and judges the result.
#include "sim/fit/step_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "netmodels/nearest.hpp"

namespace sim::fit {
namespace {

using calibrate::fits::FoundUnknown;
using calibrate::fits::MeasuredFigure;
using calibrate::fits::Unknown;
using calibrate::fits::UnknownsFit;
using netmodels::print;
using netmodels::Result;
using netmodels::Seconds;
using scenario::Scenario;

constexpr int time_digits = 4;

/// A cautious comparison: what was stated in a file comes out of arithmetic.
bool same_value(const std::optional<double>& one, const std::optional<double>& other) {
  constexpr double rounding = 1e-9;
  if (!one || !other) return one.has_value() == other.has_value();
  return std::abs(*one - *other) <= rounding * std::max(std::abs(*one), std::abs(*other));
}

std::string stated_text(const UnknownRow& row, const std::optional<double>& stated) {
  return stated ? row.print(*stated) : "none";
}

/// Whether the case is a run of the arm itself, with all that it states.
bool is_of_arm(const StepCase& measured, const UnknownRow& row) {
  if (row.kind == scenario::StepUnknown::goodput) return !measured.figure.alone;
  return measured.figure.step || (measured.figure.alone && !row.per_arm);
}

bool is_own_case(const StepCase& measured, const UnknownRow& row) {
  return is_of_arm(measured, row) && row.applies(measured.scenario);
}

/// The first case that has the unknown; one that is not its own only where no row of the kind has its own.
const StepCase* first_case(const UnknownRow& row, const std::vector<StepCase>& cases) {
  for (const StepCase& each : cases) {
    if (is_own_case(each, row)) return &each;
  }
  for (const UnknownRow& other : unknown_rows()) {
    const auto is_own = [&](const StepCase& each) { return is_own_case(each, other); };
    if (other.kind == row.kind && std::ranges::any_of(cases, is_own)) return nullptr;
  }
  const auto any =
      std::ranges::find_if(cases, [&](const StepCase& each) { return row.applies(each.scenario); });
  return any == cases.end() ? nullptr : &*any;
}

/// Arms whose network is stated by different keys share no unknown.
Result<void> check_one_key(const UnknownRow& row, const StepCase& first, const std::vector<StepCase>& cases) {
  for (const UnknownRow& other : unknown_rows()) {
    if (other.kind != row.kind || other.key == row.key) continue;
    const auto found =
        std::ranges::find_if(cases, [&](const StepCase& each) { return is_own_case(each, other); });
    if (found == cases.end()) continue;
    return netmodels::refuse(
        found->figure.where,
        fmt::format("the unknown `{}` is `{}` of the arm `{}` and `{}` of the arm `{}`", row.name(), row.key,
                    first.arm, other.key, found->arm),
        fmt::format("measure arms that share it, or leave `{}` out of `fit`", row.name()));
  }
  return {};
}

/// An unknown of all arms, which those measured must state alike.
Result<std::vector<FittedUnknown>> shared_unknown(const UnknownRow& row, const std::vector<StepCase>& cases,
                                                  Seconds fastest) {
  const StepCase* first = first_case(row, cases);
  if (first == nullptr) return std::vector<FittedUnknown>{};
  if (auto one = check_one_key(row, *first, cases); !one) return tl::unexpected(one.error());
  for (const StepCase& each : cases) {
    if (!is_own_case(each, row)) continue;
    const auto here = row.stated(each.scenario), there = row.stated(first->scenario);
    if (same_value(here, there)) continue;
    return netmodels::refuse(
        each.figure.where,
        fmt::format("the arms `{}` ({}) and `{}` ({}) differ in `{}`, which is one unknown", first->arm,
                    stated_text(row, there), each.arm, stated_text(row, here), row.key),
        fmt::format("measure arms that share it, or leave `{}` out of `fit`", row.name()));
  }
  return std::vector{
      FittedUnknown{&row, "", row.prior(first->scenario, fastest), row.stated(first->scenario), {}}};
}

/// One for each measured arm.
std::vector<FittedUnknown> unknowns_of_arms(const UnknownRow& row, const std::vector<StepCase>& cases,
                                            Seconds fastest) {
  std::vector<FittedUnknown> unknowns;
  for (const StepCase& each : cases) {
    const bool known = std::ranges::find(unknowns, each.arm, &FittedUnknown::arm) != unknowns.end();
    if (known || !is_of_arm(each, row) || !row.applies(each.scenario)) continue;
    unknowns.push_back({&row, each.arm, row.prior(each.scenario, fastest), row.stated(each.scenario), {}});
  }
  return unknowns;
}

Result<std::vector<FittedUnknown>> unknowns_of(const scenario::StepFigures& figures,
                                               const std::vector<StepCase>& cases) {
  Seconds fastest = cases.front().figure.time();
  for (const StepCase& each : cases) fastest = std::min(fastest, each.figure.time());
  std::vector<FittedUnknown> unknowns;
  for (const UnknownRow& row : unknown_rows()) {
    const bool wanted = figures.fit.empty() || std::ranges::find(figures.fit, row.kind) != figures.fit.end();
    if (!wanted) continue;
    auto found = row.per_arm ? unknowns_of_arms(row, cases, fastest) : shared_unknown(row, cases, fastest);
    if (!found) return found;
    std::ranges::move(*found, std::back_inserter(unknowns));
  }
  if (!unknowns.empty()) return unknowns;
  return netmodels::refuse(cases.front().figure.where,
                           "none of the unknowns under `fit` is part of what was measured",
                           "measure a step of an arm that compresses, or name others: " +
                               netmodels::join(settings::all_names<scenario::StepUnknown>()));
}

/// What an unknown is where no figure tells it: as the scenario states it, or leaves it unstated.
double kept_value(const FittedUnknown& unknown) { return unknown.stated.value_or(0); }

/// The case with the values of those unknowns that are its own.
StepCase with_values(StepCase measured, const std::vector<FittedUnknown>& unknowns,
                     std::span<const double> values) {
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    const FittedUnknown& unknown = unknowns[j];
    const bool is_own = unknown.row->per_arm ? unknown.arm == measured.arm && measured.figure.step
                                             : unknown.row->applies(measured.scenario);
    if (is_own && values[j] != kept_value(unknown)) unknown.row->put(measured.scenario, values[j]);
  }
  return measured;
}

Result<std::vector<double>> times_of(const std::vector<StepCase>& cases,
                                     const std::vector<FittedUnknown>& unknowns,
                                     std::span<const double> values, engine::ClusterCache& clusters) {
  std::vector<double> times;
  for (const StepCase& each : cases) {
    GRADSIM_TRY(time, time_of(with_values(each, unknowns, values), clusters));
    times.push_back(time->count);
  }
  return times;
}

/// Whether every worker takes the workload's own time for `training.batch`.
bool computes_as_stated(const scenario::Cluster& cluster, const scenario::Training& training,
                        const scenario::Compute& compute) {
  return cluster.speeds.empty() && training.batches.empty() && compute.batch_limits.empty();
}

/// A step cannot be faster than what its worker computes.
Result<void> check_computing(const std::vector<StepCase>& cases, bool fits_host) {
  for (const StepCase& each : cases) {
    const Scenario& arm = each.scenario;
    if (each.figure.allreduce || !computes_as_stated(arm.cluster, arm.work.training, arm.work.compute))
      continue;
    const netmodels::Workload& workload = each.scenario.work.workload;
    const int batch = each.scenario.work.training.batch;
    const Seconds host = fits_host ? Seconds{} : workload.host_overhead.at(batch);
    const Seconds compute = workload.compute(batch) - workload.host_overhead.at(batch) + host;
    if (each.figure.time() * (1 + each.figure.within) >= compute) continue;
    return netmodels::refuse(
        each.figure.where,
        fmt::format("a step of {} is faster than its computing alone, {} (forward {}, backward {}, optimizer "
                    "{}{})",
                    print(each.figure.time()), print(compute, time_digits),
                    print(workload.forward(batch), time_digits), print(workload.backward(batch), time_digits),
                    print(workload.optimizer, time_digits),
                    fits_host ? "" : ", host " + print(host, time_digits)),
        "check the unit, the workload's device and `training.batch`");
  }
  return {};
}

/// Measured against explained, in units of the measurement's own error.
double deviation(const ExplainedFigure& figure) {
  const Seconds measured = figure.measured.figure.time();
  return (figure.explained / measured - 1) / figure.measured.figure.within;
}

std::string deviation_text(const ExplainedFigure& figure) {
  return fmt::format("{} ({}, explained: {})", figure.measured.name, print(figure.measured.figure.time()),
                     print(figure.explained, time_digits));
}

/// An unknown that would be larger if it could; nothing: none.
const FittedUnknown* at_most(const StepFit& fit) {
  constexpr double nearly = 0.999;
  const auto found = std::ranges::find_if(fit.unknowns, [](const FittedUnknown& unknown) {
    return std::isfinite(unknown.prior.most) && unknown.found.value >= nearly * unknown.prior.most;
  });
  return found == fit.unknowns.end() ? nullptr : &*found;
}

/// Names the two figures that pull furthest in opposite directions, or the one that nothing explains.
tl::unexpected<netmodels::Error> refuse_contradiction(const StepFit& fit) {
  const auto [low, high] = std::ranges::minmax_element(fit.figures, {}, deviation);
  constexpr double noticeable = 0.5;
  const std::string hint = "check units, workers and arms, raise `within`, or name more unknowns under `fit`";
  if (deviation(*low) < -noticeable && deviation(*high) > noticeable) {
    return netmodels::refuse(high->measured.figure.where,
                             fmt::format("{} and {} contradict each other: no values of the unknowns explain "
                                         "both within their errors",
                                         deviation_text(*low), deviation_text(*high)),
                             hint);
  }
  const ExplainedFigure& worst = std::abs(deviation(*low)) > std::abs(deviation(*high)) ? *low : *high;
  if (const FittedUnknown* limit = at_most(fit); limit != nullptr && deviation(worst) > 0)
    return netmodels::refuse(
        worst.measured.figure.where,
        fmt::format("{} is impossible: `{}` would be above {}, the line rate", deviation_text(worst),
                    limit->row->name(), limit->row->print(limit->prior.most)),
        "check the bytes, the workers, the rate and number of interfaces, and the time");
  return netmodels::refuse(worst.measured.figure.where,
                           fmt::format("no values of the unknowns explain {}", deviation_text(worst)), hint);
}

Result<UnknownsFit> find_values(const std::vector<StepCase>& cases,
                                const std::vector<FittedUnknown>& unknowns) {
  std::vector<MeasuredFigure> measured;
  for (const StepCase& each : cases) measured.push_back({each.figure.time().count, each.figure.within});
  std::vector<Unknown> priors;
  for (const FittedUnknown& each : unknowns)
    priors.push_back({each.prior.expected, each.prior.factor, kept_value(each), each.prior.most});
  engine::ClusterCache clusters;
  return calibrate::fits::fit_unknowns(priors, measured, [&](std::span<const double> values) {
    return times_of(cases, unknowns, values, clusters);
  });
}

/// Shares and overheads may be 0, which ranges on a logarithmic scale never reach.
bool may_be_zero(const FittedUnknown& unknown) {
  const scenario::StepUnknown kind = unknown.row->kind;
  return kind == scenario::StepUnknown::host_overhead || kind == scenario::StepUnknown::overlap_slowdown;
}

double squared_error(const std::vector<StepCase>& cases, std::span<const double> explained) {
  double sum = 0;
  for (std::size_t i = 0; i < cases.size(); ++i)
    sum += std::pow(std::log(explained[i] / cases[i].figure.time().count) / cases[i].figure.within, 2);
  return sum;
}

/// Where 0 explains the figures as well as what was found, an unknown is 0.
Result<void> take_zeros(const std::vector<StepCase>& cases, const std::vector<FittedUnknown>& unknowns,
                        UnknownsFit& found) {
  engine::ClusterCache clusters;
  std::vector<double> values;
  for (const FoundUnknown& each : found.unknowns) values.push_back(each.value);
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    if (!found.unknowns[j].identified || !may_be_zero(unknowns[j])) continue;
    std::vector<double> without = values;
    without[j] = 0;
    GRADSIM_TRY(explained, times_of(cases, unknowns, without, clusters));
    if (squared_error(cases, *explained) > squared_error(cases, found.explained)) continue;
    values = std::move(without);
    found.explained = std::move(*explained);
    found.unknowns[j].value = 0;
    found.unknowns[j].low = 0;
  }
  return {};
}

}  // namespace

Result<StepFit> fit_step(const scenario::StepFigures& figures, std::span<const std::string> settings,
                         const std::filesystem::path& data_dir) {
  GRADSIM_TRY(cases, step_cases(figures, settings, data_dir));
  GRADSIM_TRY(unknowns, unknowns_of(figures, *cases));
  const auto is_host = [](const FittedUnknown& each) {
    return each.row->kind == scenario::StepUnknown::host_overhead;
  };
  if (auto checked = check_computing(*cases, std::ranges::any_of(*unknowns, is_host)); !checked)
    return tl::unexpected(checked.error());
  GRADSIM_TRY(found, find_values(*cases, *unknowns));
  if (auto taken = take_zeros(*cases, *unknowns, *found); !taken) return tl::unexpected(taken.error());
  StepFit fit{figures.scenario, std::move(*unknowns), {}};
  for (std::size_t j = 0; j < fit.unknowns.size(); ++j) fit.unknowns[j].found = std::move(found->unknowns[j]);
  for (std::size_t i = 0; i < cases->size(); ++i)
    fit.figures.push_back({std::move((*cases)[i]), Seconds{found->explained[i]}});
  if (found->contradicts()) return refuse_contradiction(fit);
  return fit;
}

}  // namespace sim::fit
