// Every key under `learner`.
#pragma once

#include <string_view>
#include <type_traits>

#include "settings/fields.hpp"
#include "sim/scenario/learner.hpp"

namespace sim::scenario {

constexpr std::string_view choice_key(std::type_identity<Learner>) { return "kind"; }

void describe(settings::Fields& fields, Learner& value);

}  // namespace sim::scenario
