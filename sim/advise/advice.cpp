// Runs planners and adds up the cost of their searches.
#include "sim/advise/advice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "policies/planner_row.hpp"
#include "sim/scenario/fields_planning.hpp"

namespace sim::advise {
namespace {

using netmodels::Result;
using policies::Configuration;
using policies::PlanningObservation;
using policies::Prediction;
using policies::Profile;
using scenario::PlanArm;

/// The whole search of one planner.
class Search {
 public:
  Search(const PlanArm& arm, const std::vector<Known>& known, double samples)
      : arm_(arm), known_(known), samples_(samples) {}

  [[nodiscard]] SearchResult by(const policies::PlannerChoice& planner) const {
    SearchResult result;
    result.method = label_of(planner);
    std::vector<StoredJob> stored;
    for (const std::string& job : stored_jobs(planner)) stored.push_back(stored_job(arm_, job, samples_));
    policies::PlanningQuestion question{.objective = arm_.planning.objective};
    for (const StoredJob& job : stored)
      question.stored.push_back({job.grid, job.profiles, samples_, arm_.rental});
    const auto policy = planner->make(planner.settings(), question);
    while (const auto next = policy->explore(seen(result))) {
      charge(result, *next);
      result.profiled.push_back(known_[*next].profile);
    }
    result.predicted = policy->predict(seen(result));
    const policies::PlanningLimits left = result.left_of(arm_.planning.limits);
    result.chosen = choose_training(result.predicted, arm_.planning.objective, left);
    return result;
  }

 private:
  [[nodiscard]] PlanningObservation seen(const SearchResult& result) const {
    return {arm_.grid, result.profiled, samples_, arm_.rental};
  }

  /// The first profile starts the job, each later one begins from a checkpoint.
  void charge(SearchResult& result, std::size_t index) const {
    const scenario::PlanSearch& search = arm_.planning.search;
    const Profile& profile = known_[index].profile;
    const bool first = result.profiled.empty();
    const auto steps = static_cast<double>(search.iterations + (first ? search.warm_up : 0));
    const netmodels::Seconds time = steps * profile.step + (first ? netmodels::Seconds{} : search.restore);
    const Configuration& at = arm_.grid[index];
    result.time += time;
    result.cost += arm_.rental.cost(time, at.workers);
    if (search.keep_progress) result.progress += steps * at.batch / (profile.epochs * samples_);
  }

  const PlanArm& arm_;
  const std::vector<Known>& known_;
  double samples_;
};

/// Truths as predictions, where all times are known.
std::optional<std::vector<Prediction>> exact(const std::vector<Truth>& truths) {
  std::vector<Prediction> made;
  for (const Truth& truth : truths) {
    if (!truth.time) return std::nullopt;
    made.push_back({truth.epochs, truth.step, *truth.time, *truth.cost});
  }
  return made;
}

}  // namespace

bool SearchResult::has_profile(std::size_t index) const {
  return std::ranges::find(profiled, index, &Profile::index) != profiled.end();
}

policies::PlanningLimits SearchResult::left_of(const scenario::PlanLimits& limits) const {
  policies::PlanningLimits left{limits.time, limits.cost};
  const double rest = 1 - progress;
  if (left.time) *left.time = rest > 0 ? (*left.time - time) / rest : *left.time;
  if (left.cost) *left.cost = rest > 0 ? (*left.cost - cost) / rest : *left.cost;
  return left;
}

std::optional<Outcome> Advised::outcome(const SearchResult& result) const {
  if (!oracle || !result.chosen) return std::nullopt;
  const Truth& chosen = truths[*result.chosen];
  const double rest = std::max(0.0, 1 - result.progress);
  Outcome outcome;
  outcome.time = result.time + rest * *chosen.time;
  outcome.cost = result.cost + rest * *chosen.cost;
  outcome.search_time = outcome.time / *chosen.time - 1;
  outcome.search_cost = outcome.cost / *chosen.cost - 1;
  compare_with_oracle(outcome);
  return outcome;
}

std::optional<Outcome> Advised::arbitrary() const {
  if (!oracle) return std::nullopt;
  Outcome mean;
  const auto count = static_cast<double>(truths.size());
  for (const Truth& truth : truths) {
    mean.time += *truth.time / count;
    mean.cost += *truth.cost / count;
  }
  compare_with_oracle(mean);
  return mean;
}

void Advised::compare_with_oracle(Outcome& outcome) const {
  const scenario::PlanLimits& limits = arm->planning.limits;
  const bool keeps_limits =
      (!limits.time || outcome.time <= *limits.time) && (!limits.cost || outcome.cost <= *limits.cost);
  const auto excess = [&](policies::PlanningObjective other, double ratio) -> std::optional<double> {
    if (arm->planning.objective == other) return std::nullopt;
    if (ratio < 1 && !keeps_limits) return std::nullopt;
    return std::max(0.0, ratio - 1);
  };
  outcome.time_over_oracle = excess(policies::PlanningObjective::cost, outcome.time / *truths[*oracle].time);
  outcome.cost_over_oracle = excess(policies::PlanningObjective::time, outcome.cost / *truths[*oracle].cost);
}

Result<Advised> advise(const PlanArm& arm, Profiles& profiles,
                       const std::function<void(double share)>& said) {
  Advised advised;
  advised.arm = &arm;
  std::vector<Known> known;
  for (std::size_t index = 0; index < arm.grid.size(); ++index) {
    GRADSIM_TRY(one, profiles.at(index));
    advised.truths.push_back(one->truth);
    known.push_back(std::move(*one));
    if (said) said(static_cast<double>(index + 1) / static_cast<double>(arm.grid.size()));
  }
  advised.origin = profiles.origin();
  const Search search(arm, known, profiles.samples());
  advised.search = search.by(arm.planning.search.planner);
  for (const policies::PlannerChoice& baseline : arm.planning.baselines)
    advised.baselines.push_back(search.by(baseline));
  if (const auto truths = exact(advised.truths)) {
    const scenario::PlanLimits& limits = arm.planning.limits;
    advised.oracle = choose_training(*truths, arm.planning.objective, {limits.time, limits.cost});
  }
  return advised;
}

}  // namespace sim::advise
