// Which arms of a study compete with each other: by phase, or along one axis.
#include "sim/output/contest.hpp"

#include <algorithm>
#include <cmath>

namespace sim::output {
namespace {

double samples_per_step(const Contender& contender) {
  return contender.step_time().count * contender.phase->samples_per_second;
}

bool competes(const PlayedArm& arm) {
  return arm.result.whole.steps > 0 && arm.result.ending != engine::Ending::interrupted;
}

const engine::ExplainedStep* explained(const PlayedArm& arm, const std::string& label) {
  const auto found = std::ranges::find(arm.explained, label, &engine::ExplainedStep::phase);
  return found == arm.explained.end() ? nullptr : &*found;
}

Contender whole(const PlayedArm& arm) {
  const bool single = arm.result.phases.size() <= 1 && arm.explained.size() == 1;
  return {&arm, &arm.result.whole, single ? &arm.explained.front() : nullptr};
}

Contest& contest_at(std::vector<Contest>& list, const std::string& where) {
  const auto found = std::ranges::find(list, where, &Contest::where);
  return found == list.end() ? list.emplace_back(Contest{where, {}}) : *found;
}

void by_phase(const PlayedStudy& study, std::vector<Contest>& list) {
  for (const PlayedArm& arm : study.arms) {
    if (!competes(arm) || arm.result.phases.size() <= 1) continue;
    for (const engine::PhaseResult& phase : arm.result.phases) {
      if (phase.steps == 0) continue;
      contest_at(list, phase.label).contenders.push_back({&arm, &phase, explained(arm, phase.label)});
    }
  }
  const std::string where = list.empty() ? "" : "whole run";
  for (const PlayedArm& arm : study.arms) {
    if (competes(arm)) contest_at(list, where).contenders.push_back(whole(arm));
  }
}

void by_axis(const PlayedStudy& study, std::vector<Contest>& list) {
  const std::size_t axes = study.study->axes.size();
  const std::size_t axis = compared_axis(*study.study);
  for (const PlayedArm& arm : study.arms) {
    if (!competes(arm)) continue;
    contest_at(list, along(arm.result.name, axes, axis)).contenders.push_back(whole(arm));
  }
}

}  // namespace

netmodels::Seconds Contender::outside() const {
  const engine::PhaseResult* whole_run = &arm->result.whole;
  if (phase != whole_run) return {};
  return arm->result.outside_steps / static_cast<double>(whole_run->steps);
}

netmodels::Seconds time_per_sample(const Contender& contender) {
  return (contender.step_time() + contender.outside()) / samples_per_step(contender);
}

bool same_samples(const Contest& contest) {
  constexpr double tolerance = 1e-9;  // of rounding
  const double first = samples_per_step(contest.contenders.front());
  return std::ranges::all_of(contest.contenders, [&](const Contender& contender) {
    return std::abs(samples_per_step(contender) - first) <= tolerance * first;
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
    if (c == '/') values.emplace_back();
    else values.back() += c;
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

std::vector<Contest> contests(const PlayedStudy& study) {
  std::vector<Contest> list;
  if (study.study->axes.empty()) by_phase(study, list);
  else by_axis(study, list);
  std::erase_if(list, [](const Contest& contest) { return contest.contenders.size() < 2; });
  for (Contest& contest : list) std::ranges::stable_sort(contest.contenders, {}, time_per_sample);
  return list;
}

}  // namespace sim::output
