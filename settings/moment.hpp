// A point in a training run, as a scenario writes it.
#pragma once

#include <cstdint>

#include "netmodels/quantity.hpp"

namespace settings {

/// A moment of a training run: after so much simulated time, or at the beginning of a step or an epoch.
struct Moment {
  enum class Unit { time, step, epoch };
  Unit unit = Unit::time;
  double value = 0;  ///< seconds, steps from 0, or epochs from 0 (may have a fraction)

  bool operator==(const Moment&) const = default;
};

/// Whether a training at this position has reached the moment.
inline bool has_come(const Moment& moment, netmodels::Seconds now, std::int64_t step, double epoch) {
  switch (moment.unit) {
    case Moment::Unit::time: return now.count >= moment.value;
    case Moment::Unit::step: return static_cast<double>(step) >= moment.value;
    case Moment::Unit::epoch: return epoch >= moment.value;
  }
  return false;
}

}  // namespace settings
