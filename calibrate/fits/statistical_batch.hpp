// Steps to a target over the batch: S(B) = S_min (1 + B_crit / B), fitted to trainings at several batches.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "calibrate/measurements/statistics.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

/// A training without compression that reached the target.
struct BatchSteps {
  double batch = 1;  ///< samples of all workers, above 0
  double steps = 1;  ///< to the target, above 0
};

/// The two parameters.
struct BatchLimits {
  double least_steps = 1;     ///< S_min, above 0
  double critical_batch = 0;  ///< B_crit, samples, at least 0
};

/// One training beside what the law says of it.
struct BatchError {
  BatchSteps measured;
  double fitted = 0;               ///< steps
  std::optional<double> held_out;  ///< steps by the law of all other batches; where there are two others
};

/// The law and how far it lies from what was measured.
struct BatchFit {
  BatchLimits law;
  std::vector<BatchError> rows;  ///< batches rising
  measurements::RelativeErrors in_sample;
  std::optional<measurements::RelativeErrors>
      held_out;  ///< one batch left out at a time; where there are three
};

/// @returns S(B)
double steps_at(const BatchLimits& law, double batch);

/// Minimises the sum of squared relative errors (S(B) / measured - 1)^2 under S_min >= 0 and B_crit >= 0. The
/// error at the smallest and the largest batch, left out, is one of extrapolation.
///
/// @returns an Error without a place for fewer than two batches, and where the steps fall as 1 / B or
///          faster through all batches, so that no S_min shows
/// Source: S. McCandlish et al., arXiv:1812.06162, 2018, section 2.3.
netmodels::Result<BatchFit> fit_batches(std::vector<BatchSteps> measured);

}  // namespace calibrate::fits
