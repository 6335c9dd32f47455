// Prunes and ranks candidates.
#include "sim/advise/policy_ranking.hpp"

#include <algorithm>
#include <tuple>

#include "kernels/catalogue.hpp"

namespace sim::advise {

// Compares candidates state by state.

namespace {

bool beats(const PricedPolicy& one, const PricedPolicy& other, double margin) {
  if (one.times.empty() || other.times.empty()) return false;
  for (std::size_t state = 0; state < one.times.size(); ++state) {
    if (one.times[state] * (1 + margin) > other.times[state]) return false;
  }
  return true;
}

}  // namespace

std::vector<bool> within_reach(std::span<const PricedPolicy> candidates, bool within_courses, double margin) {
  std::vector<bool> kept;
  for (const PricedPolicy& candidate : candidates) {
    const auto beaten = [&](bool by_dense_only) {
      return std::ranges::any_of(candidates, [&](const PricedPolicy& other) {
        const bool compared =
            (!within_courses || other.loop == candidate.loop) && (!by_dense_only || other.dense);
        return compared && beats(other, candidate, margin);
      });
    };
    kept.push_back(!beaten(candidate.dense));
  }
  return kept;
}

// Chooses and ranks policies.

namespace {

using policies::PlanningObjective;
using policies::Prediction;

CompressingOutcome outcome_with(const PolicyOutcome& outcome, CompressingTime compressing) {
  if (compressing == CompressingTime::least && outcome.least) return *outcome.least;
  if (compressing == CompressingTime::most && outcome.most) return *outcome.most;
  return {outcome.time, outcome.cost};
}

/// Without a price, cost is proportional to time.
Prediction prediction_of(const AdvisedPolicy& policy,
                         CompressingTime compressing = CompressingTime::assumed) {
  const CompressingOutcome worst = outcome_with(policy.at_worst(), compressing);
  Prediction made{};
  made.time = worst.time;
  made.cost = worst.cost.value_or(netmodels::Dollars{worst.time.count});
  for (const PolicyOutcome& outcome : policy.outcomes) {
    const CompressingOutcome other = outcome_with(outcome, compressing);
    made.time = std::max(made.time, other.time);
    if (other.cost) made.cost = std::max(made.cost, *other.cost);
  }
  return made;
}

double merit(const Prediction& prediction, PlanningObjective objective) {
  if (objective == PlanningObjective::time) return prediction.time.count;
  if (objective == PlanningObjective::cost) return prediction.cost.count;
  return prediction.time.count * prediction.cost.count;
}

bool as_good(const AdvisedPolicy& one, const AdvisedPolicy& best, PlanningObjective objective, double tie,
             CompressingTime compressing) {
  const Prediction a = prediction_of(one, compressing);
  const Prediction b = prediction_of(best, compressing);
  const netmodels::Seconds bars = one.at_worst().margin + best.at_worst().margin;
  const double allowed = std::max(tie, bars / b.time);
  const bool time = a.time <= b.time * (1 + allowed);
  const bool cost = a.cost <= b.cost * (1 + allowed);
  if (objective == PlanningObjective::time) return time;
  return objective == PlanningObjective::cost ? cost : time && cost;
}

/// 0 for gradients as they are, 1 for fewer bits of each, 2 for other methods, 3 for policies.
int compression_rank(const scenario::Compression& compression) {
  if (decided_by_step(compression)) return 3;
  if (!compression.compresses()) return 0;
  const kernels::Entry& format = *compression.stated().method;
  return format.has_ratio() || format.exchange != netmodels::CollectiveKind::all_reduce ? 2 : 1;
}

auto complexity(const AdvisedPolicy& policy, PlanningObjective objective) {
  const scenario::Scenario& world = policy.candidate->worlds.front();
  const bool bulk = world.exchange.synchronisation->traits.every_step;
  return std::tuple(policy.steps.known >= StepsKnown::gain, !bulk,
                    compression_rank(world.exchange.compression), -policy.candidate->ratio.value_or(1),
                    merit(prediction_of(policy), objective));
}

}  // namespace

namespace {

/// Those that reach the target and whose time is more than a bound; the bounds where there is nothing else.
std::vector<std::size_t> eligible(std::span<const AdvisedPolicy> played) {
  std::vector<std::size_t> list;
  for (const bool bounds : {false, true}) {
    for (std::size_t i = 0; i < played.size(); ++i) {
      if (played[i].reached && played[i].bound_only() == bounds) list.push_back(i);
    }
    if (!list.empty()) break;
  }
  return list;
}

}  // namespace

std::optional<std::size_t> best_policy(std::span<const AdvisedPolicy> played, PlanningObjective objective,
                                       CompressingTime compressing) {
  const std::vector<std::size_t> done = eligible(played);
  const bool bounds = !done.empty() && played[done.front()].bound_only();
  std::vector<Prediction> predictions;
  for (const std::size_t i : done)
    predictions.push_back(prediction_of(played[i], bounds ? CompressingTime::assumed : compressing));
  const auto best = policies::choose_training(predictions, objective);
  return best ? std::optional(done[*best]) : std::nullopt;
}

std::optional<std::size_t> choose_policy(std::span<const AdvisedPolicy> played, PlanningObjective objective,
                                         double tie, CompressingTime compressing) {
  const auto best = best_policy(played, objective, compressing);
  if (!best) return std::nullopt;
  std::size_t chosen = *best;
  for (const std::size_t i : eligible(played)) {
    if (!as_good(played[i], played[*best], objective, tie, compressing)) continue;
    if (complexity(played[i], objective) < complexity(played[chosen], objective)) chosen = i;
  }
  return chosen;
}

std::optional<std::size_t> best_dense(std::span<const AdvisedPolicy> played, PlanningObjective objective) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < played.size(); ++i) {
    if (!played[i].dense || !played[i].reached) continue;
    const auto value = [&](std::size_t at) { return merit(prediction_of(played[at]), objective); };
    if (!best || value(i) < value(*best)) best = i;
  }
  return best;
}

std::vector<std::size_t> ranked(const AdvisedPolicies& advised) {
  const PlanningObjective objective = advised.question->advice.objective;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < advised.played.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const AdvisedPolicy& policy = advised.played[i];
    return std::tuple(!(advised.chosen == i), !policy.reached, merit(prediction_of(policy), objective));
  });
  return order;
}

}  // namespace sim::advise
