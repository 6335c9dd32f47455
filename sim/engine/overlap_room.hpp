// How long the steps take that hide an exchange of models.
#pragma once

#include <algorithm>
#include <cstdint>

#include "netmodels/quantity.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// In the long run an exchange overlaps the steps after it, but no more than there are to the next one, as
/// exchanges are sent one after another.
/// @param steps       that it may still overlap
/// @param local       time of a step that exchanges no models
/// @param exchanging  of one that does, without its exchange: it compresses
inline netmodels::Seconds overlap_room(const scenario::Scenario& scenario, std::int64_t steps,
                                       netmodels::Seconds local, netmodels::Seconds exchanging) {
  const std::int64_t period = period_of(scenario.synchronisation);
  if (steps < period) return local * static_cast<double>(steps);
  return local * static_cast<double>(period - 1) + exchanging;
}

}  // namespace sim::engine
