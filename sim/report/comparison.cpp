// Which arms of a study compete with each other: by phase, or along one axis.
#include "sim/report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/report/cost.hpp"
#include "sim/report/exclusion.hpp"
#include "sim/scenario/replicas.hpp"

namespace sim::report {
namespace {

bool competes(const SimulatedArm& arm) { return why_not_compared(arm).empty(); }

ExchangeTimes exchange_times(const engine::ExplainedStep& step) {
  ExchangeTimes sum{{}, {}, step.latency};
  for (const engine::ExplainedExchange& exchange : step.exchanges) {
    sum.latency += exchange.latency_share;
    sum.bandwidth += exchange.duration - exchange.latency_share;
    if (exchange.between_nodes)
      sum.between_nodes = sum.between_nodes.value_or(netmodels::Bytes{}) + *exchange.between_nodes;
  }
  return sum;
}

/// Whether each step exchanges what the explained one does.
bool has_one_exchange(const scenario::Compression& compression,
                      const policies::SynchronisationChoice& synchronisation) {
  return !scenario::decided_by_step(compression) && synchronisation->traits.every_step;
}

Candidate in_phase(const SimulatedArm& arm, const engine::PhaseResult& phase) {
  if (!has_one_exchange(arm.scenario->exchange.compression, arm.scenario->exchange.synchronisation))
    return {&arm, &phase};
  const auto found = std::ranges::find(arm.explained, phase.label, &engine::ExplainedStep::phase);
  if (found == arm.explained.end()) return {&arm, &phase};
  Candidate candidate{&arm, &phase, exchange_times(*found)};
  if (found->dependence) candidate.dependence.push_back({1, &*found->dependence});
  return candidate;
}

/// Mean over the phases, each as often as it had steps.
std::optional<ExchangeTimes> mean_exchange_times(const SimulatedArm& arm) {
  ExchangeTimes mean;
  for (const engine::PhaseResult& phase : arm.result.phases) {
    const auto times = in_phase(arm, phase).exchange;
    if (!times) return std::nullopt;
    const double share = static_cast<double>(phase.steps) / static_cast<double>(arm.result.whole.steps);
    mean.latency += share * times->latency;
    mean.bandwidth += share * times->bandwidth;
    mean.hop += share * times->hop;
    if (times->between_nodes)
      mean.between_nodes = mean.between_nodes.value_or(netmodels::Bytes{}) + share * *times->between_nodes;
  }
  return mean;
}

/// Of each phase, with its share of all steps; empty where one has none.
std::vector<PhaseDependence> dependences(const SimulatedArm& arm) {
  std::vector<PhaseDependence> list;
  for (const engine::PhaseResult& phase : arm.result.phases) {
    if (phase.steps == 0) continue;
    const Candidate candidate = in_phase(arm, phase);
    if (candidate.dependence.empty()) return {};
    list.push_back({static_cast<double>(phase.steps) / static_cast<double>(arm.result.whole.steps),
                    candidate.dependence.front().of});
  }
  return list;
}

std::int64_t parameters_of(const netmodels::Workload& workload) {
  return workload.replica ? workload.replica->parameters : workload.parameters();
}

using Alike = bool(const SimulatedArm&, const SimulatedArm&);

/// Lets the arm compete in the comparison of arms like it at `where`.
void enter(std::vector<Comparison>& list, const std::string& where, const Candidate& candidate,
           Alike& alike) {
  const auto fits = [&](const Comparison& comparison) {
    return comparison.where == where && alike(*comparison.candidates.front().arm, *candidate.arm);
  };
  const auto found = std::ranges::find_if(list, fits);
  if (found == list.end())
    list.push_back({where, {candidate}});
  else
    found->candidates.push_back(candidate);
}

/// The whole runs of arms that are alike.
std::vector<Comparison> comparisons_of(const SimulatedStudy& study, Alike& alike) {
  std::vector<Comparison> list;
  for (const SimulatedArm& arm : study.arms) {
    if (competes(arm)) enter(list, "", whole_run(arm), alike);
  }
  return list;
}

void append(std::vector<Comparison>& list, std::vector<Comparison> more) {
  std::ranges::move(more, std::back_inserter(list));
}

/// All arms of one model first, as the whole run is what a user pays for; then phases; then, where machines
/// or networks differ, the arms of each alone.
void by_phase(const SimulatedStudy& study, std::vector<Comparison>& list) {
  std::vector<Comparison> phases;
  for (const SimulatedArm& arm : study.arms) {
    if (!competes(arm) || arm.result.phases.size() <= 1) continue;
    for (const engine::PhaseResult& phase : arm.result.phases) {
      if (phase.steps > 0) enter(phases, phase.label, in_phase(arm, phase), same_world);
    }
  }
  std::vector<Comparison> models = comparisons_of(study, same_model);
  std::vector<Comparison> worlds = comparisons_of(study, same_world);
  for (Comparison& model : models) {
    const std::string name =
        models.size() > 1 ? model.candidates.front().arm->scenario->work.workload.name : "";
    model.where = !name.empty() ? "`" + name + "`" : phases.empty() ? "" : "whole run";
    model.all = true;
  }
  if (worlds.size() == models.size()) worlds.clear();
  for (Comparison& world : worlds)
    world.where =
        "on the machines of `" + std::ranges::min(world.candidates, {}, spent_per_sample).name() + "`";
  append(list, std::move(models));
  append(list, std::move(phases));
  append(list, std::move(worlds));
}

std::vector<Comparison> along_axis(const SimulatedStudy& study, Alike& alike) {
  const std::size_t axes = study.study->axes.size();
  const std::size_t axis = compared_axis(*study.study);
  std::vector<Comparison> list;
  for (const SimulatedArm& arm : study.arms)
    if (competes(arm)) enter(list, along(arm.result.name, axes, axis), whole_run(arm), alike);
  return list;
}

bool has_one_arm(const Comparison& comparison) { return comparison.candidates.size() < 2; }

/// An axis of machines or networks is the choice itself.
void by_axis(const SimulatedStudy& study, std::vector<Comparison>& list) {
  list = along_axis(study, same_world);
  if (std::ranges::all_of(list, has_one_arm)) list = along_axis(study, same_model);
}

}  // namespace

Candidate whole_run(const SimulatedArm& arm) {
  return {&arm, &arm.result.whole, mean_exchange_times(arm), dependences(arm)};
}

bool same_model(const SimulatedArm& a, const SimulatedArm& b) {
  const netmodels::Workload& one = a.scenario->work.workload;
  const netmodels::Workload& other = b.scenario->work.workload;
  return one.name == other.name && parameters_of(one) == parameters_of(other);
}

bool same_world(const SimulatedArm& a, const SimulatedArm& b) {
  const scenario::Scenario& one = *a.scenario;
  const scenario::Scenario& other = *b.scenario;
  return same_model(a, b) &&
         scenario::cluster_as_stated(*one.stated, one.cluster) ==
             scenario::cluster_as_stated(*other.stated, other.cluster) &&
         one.work.compute == other.work.compute;
}

netmodels::Seconds Candidate::step_time_at(netmodels::Seconds compressing) const {
  netmodels::Seconds time = step_time();
  for (const PhaseDependence& phase : dependence)
    time += phase.share * (phase.of->step_at(compressing) - phase.of->step_at(phase.of->cost.assumed));
  return time;
}

netmodels::Seconds Candidate::outside() const {
  const engine::PhaseResult* whole_run = &arm->result.whole;
  if (phase != whole_run) return {};
  return arm->result.outside_steps / static_cast<double>(whole_run->steps);
}

bool Candidate::dense() const {
  const auto& compression = arm->scenario->exchange.compression;
  return !compression.compresses() && !compression.policy->traits.decides &&
         arm->scenario->exchange.synchronisation->traits.every_step;
}

double samples_per_step(const Candidate& candidate) {
  return candidate.step_time().count * candidate.phase->samples_per_second;
}

netmodels::Seconds time_per_sample(const Candidate& candidate) {
  return (candidate.step_time() + candidate.outside()) / samples_per_step(candidate);
}

double spent_per_sample(const Candidate& candidate) {
  return time_per_sample(candidate).count * weight_of_second(*candidate.arm);
}

bool same_samples(const Comparison& comparison) {
  constexpr double tolerance = 1e-9;  // of rounding
  const double first = samples_per_step(comparison.candidates.front());
  return std::ranges::all_of(comparison.candidates, [&](const Candidate& candidate) {
    return std::abs(samples_per_step(candidate) - first) <= tolerance * first;
  });
}

std::size_t compared_axis(const scenario::Study& study) {
  if (!study.best_along.empty()) {
    const auto found = std::ranges::find(study.axes, study.best_along.front().axis);
    if (found != study.axes.end()) return static_cast<std::size_t>(found - study.axes.begin());
  }
  return study.axes.size() - 1;
}

std::vector<std::string> axis_values(const std::string& arm, std::size_t axes) {
  std::vector<std::string> values(1);
  for (const char c : arm) {
    if (c == '/')
      values.emplace_back();
    else
      values.back() += c;
  }
  return values.size() == axes ? values : std::vector<std::string>{};
}

std::string along(const std::string& arm, std::size_t axes, std::size_t axis) {
  std::string rest;
  const std::vector<std::string> values = axis_values(arm, axes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != axis) rest += (rest.empty() ? "" : "/") + values[i];
  }
  return rest;
}

std::vector<Comparison> comparisons(const SimulatedStudy& study) {
  std::vector<Comparison> list;
  if (study.study->axes.empty())
    by_phase(study, list);
  else
    by_axis(study, list);
  std::erase_if(list, has_one_arm);
  for (Comparison& comparison : list) std::ranges::stable_sort(comparison.candidates, {}, spent_per_sample);
  return list;
}

}  // namespace sim::report
