// The input of a planner, and the predicted training that it chooses.
#include "policies/planning_policy.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace policies {

// Time and cost of a training to the target, from epochs and the time of a step.

Prediction predict_training(const PlanningObservation& seen, const Configuration& configuration,
                            double epochs, netmodels::Seconds step) {
  const netmodels::Seconds work = epochs * seen.samples / configuration.batch * step;
  const netmodels::Seconds time = seen.rental.expected_time(work, configuration.workers);
  return {epochs, step, time, seen.rental.cost(time, configuration.workers)};
}

// The front of time and cost, its knee, and the choice.

namespace {

bool keeps(const Prediction& prediction, const PlanningLimits& limits) {
  const bool ends = std::isfinite(prediction.time.count) && std::isfinite(prediction.cost.count);
  return ends && (!limits.time || prediction.time <= *limits.time) &&
         (!limits.cost || prediction.cost <= *limits.cost);
}

/// 0 at `least`, 1 at `most`.
double scaled(double value, double least, double most) {
  return most > least ? (value - least) / (most - least) : 0;
}

/// Front of some of the predictions, given by their indices in order.
std::vector<std::size_t> front_of(std::span<const Prediction> predictions, std::vector<std::size_t> some) {
  std::ranges::stable_sort(
      some, {}, [&](std::size_t i) { return std::tuple(predictions[i].time, predictions[i].cost); });
  std::vector<std::size_t> front;
  for (const std::size_t i : some) {
    if (front.empty() || predictions[i].cost < predictions[front.back()].cost) front.push_back(i);
  }
  return front;
}

}  // namespace

std::vector<std::size_t> time_cost_front(std::span<const Prediction> predictions) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < predictions.size(); ++i) all.push_back(i);
  return front_of(predictions, std::move(all));
}

std::size_t kneedle(std::span<const Prediction> predictions, std::span<const std::size_t> front) {
  const Prediction& fastest = predictions[front.front()];
  const Prediction& cheapest = predictions[front.back()];
  std::size_t knee = front.back();
  double deepest = 0;
  for (const std::size_t i : front) {
    const double time = scaled(predictions[i].time.count, fastest.time.count, cheapest.time.count);
    const double cost = scaled(predictions[i].cost.count, cheapest.cost.count, fastest.cost.count);
    const double depth = 1 - time - cost;
    if (depth <= deepest) continue;
    deepest = depth;
    knee = i;
  }
  return knee;
}

std::optional<std::size_t> choose_training(std::span<const Prediction> predictions,
                                           PlanningObjective objective, const PlanningLimits& limits) {
  std::vector<std::size_t> allowed;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (keeps(predictions[i], limits)) allowed.push_back(i);
  }
  if (allowed.empty()) return std::nullopt;
  const std::vector<std::size_t> front = front_of(predictions, std::move(allowed));
  if (objective == PlanningObjective::time) return front.front();
  if (objective == PlanningObjective::cost) return front.back();
  return kneedle(predictions, front);
}

}  // namespace policies
