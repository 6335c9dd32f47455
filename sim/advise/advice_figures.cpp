// Errors, overheads, and whether they keep their bounds.
#include "sim/advise/advice_figures.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "netmodels/percent.hpp"
#include "sim/scenario/expectations.hpp"
#include "sim/scenario/fields_planning.hpp"

namespace sim::advise {
namespace {

using scenario::AdviceMetric;

/// Predicted and true; nothing where either is not known.
std::optional<double> ratio(const policies::Prediction& predicted, const Truth& truth, Predicted what) {
  if (what == Predicted::time && truth.time) return predicted.time / *truth.time;
  if (what == Predicted::cost && truth.cost) return predicted.cost / *truth.cost;
  if (what == Predicted::step && predicted.step.count > 0) return predicted.step / truth.step;
  if (what == Predicted::epochs && predicted.epochs > 0) return predicted.epochs / truth.epochs;
  return std::nullopt;
}

std::optional<double> mean_error(const Advised& advised, Predicted what) {
  const auto errors = errors_of(advised, what);
  return errors ? std::optional(errors->mean) : std::nullopt;
}

std::optional<double> share_of(const Advised& advised, AdviceMetric metric) {
  const auto outcome = advised.outcome(advised.search);
  if (!outcome) return std::nullopt;
  if (metric == AdviceMetric::search_time) return outcome->search_time;
  if (metric == AdviceMetric::search_cost) return outcome->search_cost;
  return metric == AdviceMetric::time_over_oracle ? outcome->time_over_oracle : outcome->cost_over_oracle;
}

/// Whether the oracle of an objective is one for the figure.
bool has_oracle_for(AdviceMetric metric, policies::PlanningObjective objective) {
  if (metric == AdviceMetric::time_over_oracle) return objective != policies::PlanningObjective::cost;
  return metric != AdviceMetric::cost_over_oracle || objective != policies::PlanningObjective::time;
}

std::string verdict_on(const JudgedBound& judged) {
  if (judged.other_objective)
    return fmt::format(", not judged: the objective is {}", settings::name_of(*judged.other_objective));
  if (judged.met() == false) return " MISSED";
  if (judged.bound->judged) return "";
  return fmt::format("{}not judged: {}", judged.within() ? " " : " beyond it, ",
                     judged.bound->reason.value_or("no reason is given"));
}

std::string describe(const JudgedBound& judged) {
  const scenario::AdviceBound& bound = *judged.bound;
  const std::string who = judged.arms > 1 ? fmt::format(", mean over {} arms `{}`", judged.arms, bound.arms)
                          : bound.arms == "*" ? ""
                                              : fmt::format(" of `{}`", bound.arms);
  const std::string ours = judged.ours ? netmodels::percent(*judged.ours, 2) : "not known";
  return fmt::format("{}{}: {} (bound {:.3g} %){}", settings::name_of(bound.metric), who, ours,
                     100 * bound.at_most, verdict_on(judged));
}

}  // namespace

std::optional<PredictionErrors> errors_of(const Advised& advised, Predicted what) {
  const SearchResult& search = advised.search;
  PredictionErrors errors;
  errors.held_out = search.profiled.size() < advised.truths.size();
  for (std::size_t index = 0; index < advised.truths.size(); ++index) {
    if (errors.held_out && search.has_profile(index)) continue;
    const auto off = ratio(search.predicted[index], advised.truths[index], what);
    if (!off) continue;
    ++errors.configurations;
    errors.mean += std::abs(*off - 1);
    errors.worst = std::max(errors.worst, std::abs(*off - 1));
  }
  if (errors.configurations == 0) return std::nullopt;
  errors.mean /= errors.configurations;
  return errors;
}

std::optional<double> figure_of(const Advised& advised, AdviceMetric metric) {
  switch (metric) {
    case AdviceMetric::step_error: return mean_error(advised, Predicted::step);
    case AdviceMetric::epochs_error: return mean_error(advised, Predicted::epochs);
    case AdviceMetric::time_error: return mean_error(advised, Predicted::time);
    case AdviceMetric::cost_error: return mean_error(advised, Predicted::cost);
    case AdviceMetric::worst_time_error: {
      const auto errors = errors_of(advised, Predicted::time);
      return errors ? std::optional(errors->worst) : std::nullopt;
    }
    case AdviceMetric::explored:
      return static_cast<double>(advised.search.profiled.size()) / static_cast<double>(advised.truths.size());
    case AdviceMetric::search_time:
    case AdviceMetric::search_cost:
    case AdviceMetric::time_over_oracle:
    case AdviceMetric::cost_over_oracle: return share_of(advised, metric);
  }
  return std::nullopt;
}

std::vector<JudgedBound> judge(const scenario::Plan& plan, std::span<const Advised> advised) {
  std::vector<JudgedBound> judged;
  for (const scenario::AdviceBound& bound : plan.bounds) {
    JudgedBound one{.bound = &bound, .arms = 0, .ours = 0.0};
    for (const Advised& arm : advised) {
      if (!scenario::matches(bound.arms, arm.arm->name)) continue;
      ++one.arms;
      const policies::PlanningObjective objective = arm.arm->planning.objective;
      if (!has_oracle_for(bound.metric, objective)) one.other_objective = objective;
      const auto figure = figure_of(arm, bound.metric);
      if (one.ours && figure)
        *one.ours += *figure;
      else
        one.ours.reset();
    }
    if (one.ours) *one.ours /= one.arms;
    judged.push_back(one);
  }
  return judged;
}

std::string bounds_text(std::span<const JudgedBound> bounds) {
  std::string text;
  for (const JudgedBound& bound : bounds) text += describe(bound) + "\n";
  std::vector<std::string_view> sources;
  for (const JudgedBound& bound : bounds) {
    const std::string_view source = bound.bound->source;
    if (std::ranges::find(sources, source) != sources.end()) continue;
    sources.push_back(source);
    text += fmt::format("bound by: {}\n", source);
  }
  return text;
}

std::vector<std::string> missed(std::span<const JudgedBound> bounds) {
  std::vector<std::string> list;
  for (const JudgedBound& bound : bounds) {
    if (bound.met() == false) list.push_back(bound.bound->where + ": " + describe(bound));
  }
  return list;
}

}  // namespace sim::advise
