// Every key under `advice` that is the same for all networks.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "settings/fields.hpp"
#include "sim/scenario/fields_compression.hpp"
#include "sim/scenario/fields_planning.hpp"
#include "sim/scenario/policy_advice.hpp"

namespace sim::scenario {

constexpr auto names_of(PolicyMetric) {
  return std::to_array<settings::Named<PolicyMetric>>({{"time_s", PolicyMetric::time},
                                                       {"cost_usd", PolicyMetric::cost},
                                                       {"over_dense", PolicyMetric::over_dense}});
}

void describe(settings::Fields& fields, PolicyAdvice& value);

void describe(settings::Fields& fields, PolicyBound& value);

}  // namespace sim::scenario
