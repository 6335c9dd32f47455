// The money that runs take, by the price of all machines.
#include "sim/report/cost.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sim/scenario/replicas.hpp"

namespace sim::report {

std::optional<netmodels::Dollars> cost_of(const SimulatedArm& arm, netmodels::Seconds run) {
  const scenario::Scenario& scenario = *arm.scenario;
  if (!scenario.rented) return std::nullopt;
  netmodels::Seconds paid = run;
  if (scenario.availability && run.count > 0)
    paid = scenario::run_with_failures(*scenario.availability,
                                       scenario::cluster_as_stated(*scenario.stated, scenario.cluster), run)
               .expected;
  if (!std::isfinite(paid.count)) return std::nullopt;
  return paid * scenario.rented->all();
}

bool decides_by_cost(const SimulatedArm& arm) {
  return arm.scenario->objective == scenario::StudyObjective::cost && arm.scenario->rented;
}

double weight_of_second(const SimulatedArm& arm) {
  if (!decides_by_cost(arm)) return 1;
  if (!(arm.result.time.count > 0)) return arm.scenario->rented->all().count;
  const auto cost = cost_of(arm, arm.result.time);
  return cost ? cost->count / arm.result.time.count : std::numeric_limits<double>::infinity();
}

double spent_to_target(const SimulatedArm& arm) {
  const netmodels::Seconds at = arm.result.learning->target->at;
  if (!decides_by_cost(arm)) return at.count;
  const auto cost = cost_of(arm, at);
  return cost ? cost->count : std::numeric_limits<double>::infinity();
}

bool costs_without_end(const SimulatedArm& arm) { return std::isinf(weight_of_second(arm)); }

std::string usd_text(double dollars) { return fmt::format("{:.4g} USD", dollars); }

std::string sample_cost_text(double dollars) {
  constexpr double samples = 1000;
  return usd_text(samples * dollars) + " per 1000 samples";
}

}  // namespace sim::report
