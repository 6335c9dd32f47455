// Short names of the decisions of synchronisation policies.
#pragma once

#include "policies/synchronisation_policy.hpp"

namespace policies {

inline constexpr auto kLocal = Synchronisation::stay_local;
inline constexpr auto kExchange = Synchronisation::average_parameters;

}  // namespace policies
