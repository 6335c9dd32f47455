// A point in a training run, as a scenario writes it.
#pragma once

namespace sim::scenario {

/// A moment of a training run: after so much simulated time, or at the beginning of a step or an epoch.
struct Moment {
  enum class Unit { time, step, epoch };
  Unit unit = Unit::time;
  double value = 0;  ///< seconds, steps from 0, or epochs from 0 (may have a fraction)

  bool operator==(const Moment&) const = default;
};

}  // namespace sim::scenario
