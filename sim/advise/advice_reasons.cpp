// Ranks configurations by their predictions and gives reasons.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "policies/planning_policy.hpp"
#include "sim/advise/advice_text.hpp"

namespace sim::advise {
namespace {

using policies::PlanningObjective;
using policies::Prediction;

bool keeps_limits(const Advised& advised, const Prediction& predicted) {
  const policies::PlanningLimits left = advised.search.left_of(advised.arm->planning.limits);
  return (!left.time || predicted.time <= *left.time) && (!left.cost || predicted.cost <= *left.cost);
}

double merit(PlanningObjective objective, const Prediction& predicted) {
  if (objective == PlanningObjective::time) return predicted.time.count;
  if (objective == PlanningObjective::cost) return predicted.cost.count;
  return predicted.time.count * predicted.cost.count;
}

std::string named(const policies::Configuration& at) {
  return fmt::format("{} x batch {}", at.workers, at.batch);
}

/// "12 % faster", "3 % dearer", or "as fast".
std::string compared(double ratio, const char* less, const char* more, const char* same) {
  constexpr double visible = 0.0005;
  if (std::abs(ratio - 1) < visible) return same;
  return ratio < 1 ? fmt::format("{:.1f} % {}", 100 * (1 - ratio), less)
                   : fmt::format("{:.1f} % {}", 100 * (ratio - 1), more);
}

std::string against(const Prediction& one, const Prediction& other) {
  return compared(one.time / other.time, "faster", "slower", "as fast") + ", " +
         compared(one.cost / other.cost, "cheaper", "dearer", "as expensive");
}

std::string reason_of_choice(const Advised& advised, const Prediction& chosen) {
  const PlanningObjective objective = advised.arm->planning.objective;
  if (objective == PlanningObjective::time) return "the advice: shortest time";
  if (objective == PlanningObjective::cost) return "the advice: lowest cost";
  const auto& predicted = advised.search.predicted;
  const auto front = policies::time_cost_front(predicted);
  if (front.back() == advised.search.chosen)
    return "the advice: lowest cost, because no knee stands out on the curve of cost over time";
  return fmt::format(
      "the advice: knee of cost over time; {} than the fastest, {} than the cheapest",
      compared(chosen.cost / predicted[front.front()].cost, "cheaper", "dearer", "not more expensive"),
      compared(chosen.time / predicted[front.back()].time, "faster", "slower", "not faster"));
}

}  // namespace

std::vector<std::size_t> ranked(const Advised& advised) {
  std::vector<std::size_t> order(advised.search.predicted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t index) {
    const Prediction& predicted = advised.search.predicted[index];
    return std::tuple(index != advised.search.chosen, !keeps_limits(advised, predicted),
                      merit(advised.arm->planning.objective, predicted));
  });
  return order;
}

std::string reason(const Advised& advised, std::size_t index) {
  const auto& predicted = advised.search.predicted;
  if (index == advised.search.chosen) return reason_of_choice(advised, predicted[index]);
  if (!keeps_limits(advised, predicted[index])) return "beyond the limits, search included";
  for (const std::size_t better : policies::time_cost_front(predicted)) {
    const bool beaten = better != index && keeps_limits(advised, predicted[better]) &&
                        predicted[better].time <= predicted[index].time &&
                        predicted[better].cost <= predicted[index].cost;
    if (beaten)
      return fmt::format("{} than {}", against(predicted[index], predicted[better]),
                         named(advised.arm->grid[better]));
  }
  if (!advised.search.chosen) return "";
  return against(predicted[index], predicted[*advised.search.chosen]) + " than the advice";
}

std::string advice_sentence(const Advised& advised) {
  const auto chosen = advised.search.chosen;
  if (!chosen) return "no configuration keeps the limits, search included";
  const Prediction& predicted = advised.search.predicted[*chosen];
  const policies::Configuration& at = advised.arm->grid[*chosen];
  return fmt::format("rent {} workers with a batch of {} samples: about {:.4g} h and {:.4g} USD", at.workers,
                     at.batch, predicted.time.count / netmodels::seconds_per_hour, predicted.cost.count);
}

}  // namespace sim::advise
