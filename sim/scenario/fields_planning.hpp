// The keys of what is asked: of a planner, and about policies.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "settings/fields.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/planning.hpp"
#include "sim/scenario/policy_advice.hpp"

namespace sim::scenario {

// Every key under `planning`.

constexpr auto names_of(ProfileSourceKind) {
  return std::to_array<settings::Named<ProfileSourceKind>>(
      {{"simulate", ProfileSourceKind::simulate}, {"table", ProfileSourceKind::table}});
}

constexpr auto names_of(AdviceMetric) {
  return std::to_array<settings::Named<AdviceMetric>>({{"step_error", AdviceMetric::step_error},
                                                       {"epochs_error", AdviceMetric::epochs_error},
                                                       {"time_error", AdviceMetric::time_error},
                                                       {"cost_error", AdviceMetric::cost_error},
                                                       {"worst_time_error", AdviceMetric::worst_time_error},
                                                       {"explored", AdviceMetric::explored},
                                                       {"search_time", AdviceMetric::search_time},
                                                       {"search_cost", AdviceMetric::search_cost},
                                                       {"time_over_oracle", AdviceMetric::time_over_oracle},
                                                       {"cost_over_oracle", AdviceMetric::cost_over_oracle}});
}

constexpr std::string_view choice_key(std::type_identity<ProfileSource>) { return "source"; }

void describe(settings::Fields& fields, ProfileSource& value);

void describe(settings::Fields& fields, Price& value);

void describe(settings::Fields& fields, PlanLimits& value);

void describe(settings::Fields& fields, PlanSearch& value);

void describe(settings::Fields& fields, Planning& value);

void describe(settings::Fields& fields, AdviceBound& value);

// Every key under `advice` that is the same for all networks.

constexpr auto names_of(PolicyMetric) {
  return std::to_array<settings::Named<PolicyMetric>>({{"time_s", PolicyMetric::time},
                                                       {"cost_usd", PolicyMetric::cost},
                                                       {"over_dense", PolicyMetric::over_dense}});
}

void describe(settings::Fields& fields, PolicyAdvice& value);

void describe(settings::Fields& fields, PolicyBound& value);

}  // namespace sim::scenario
