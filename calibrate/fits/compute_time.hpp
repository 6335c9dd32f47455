// The time that one device computes, over its batch.
#pragma once

#include <span>

#include "calibrate/measurements/statistics.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

/// A measured step of one device.
struct ComputedStep {
  double batch = 1;  ///< samples, above 0
  netmodels::Seconds time;
};

/// t = start + batch * per_sample, both 0 or above.
struct ComputeLaw {
  netmodels::Seconds start;
  netmodels::Seconds per_sample;
  measurements::RelativeErrors held_out;  ///< each batch by the model of all others

  [[nodiscard]] netmodels::Seconds time(double batch) const { return start + batch * per_sample; }
};

/// Fits the two by relative robust least squares.
/// @param steps  at least three
/// @returns an Error with an empty `where` for fewer
/// Leaves out: batches so small that the device idles, and steps in the time at sizes that kernels like.
netmodels::Result<ComputeLaw> fit_compute(std::span<const ComputedStep> steps);

}  // namespace calibrate::fits
