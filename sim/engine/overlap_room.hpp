// How long the steps take that hide an exchange of models.
#pragma once

#include <algorithm>
#include <cstdint>

#include "netmodels/quantity.hpp"

namespace sim::engine {

/// In the long run an exchange overlaps the steps after it, but no more than there are to the next one, as
/// exchanges are sent one after another.
/// @param period      steps from one exchange to the next
/// @param steps       that it may still overlap
/// @param local       time of a step that exchanges no models
/// @param exchanging  of one that does, without its exchange: it compresses
inline netmodels::Seconds overlap_room(std::int64_t period, std::int64_t steps, netmodels::Seconds local,
                                       netmodels::Seconds exchanging) {
  if (steps < period) return local * static_cast<double>(steps);
  return local * static_cast<double>(period - 1) + exchanging;
}

}  // namespace sim::engine
