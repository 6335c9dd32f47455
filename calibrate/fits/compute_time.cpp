// The time that one device computes, over its batch.
#include "calibrate/fits/compute_time.hpp"

#include <vector>

#include <fmt/format.h>

#include "calibrate/fits/least_squares.hpp"

namespace calibrate::fits {
namespace {

constexpr std::size_t least_steps = 3;  // to hold one out and draw a line through the others

/// The model of all steps but `left_out`; of all where that is none of them.
ComputeLaw law_without(std::span<const ComputedStep> steps, std::size_t left_out) {
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i != left_out) observations.push_back({{1, steps[i].batch}, steps[i].time.count});
  }
  const auto factors = fit_factors(observations);
  return {{factors[0]}, {factors[1]}, {}};
}

}  // namespace

netmodels::Result<ComputeLaw> fit_compute(std::span<const ComputedStep> steps) {
  if (steps.size() < least_steps)
    return netmodels::refuse(
        "", fmt::format("{} steps are too few for a fit with a held-out error", steps.size()),
        fmt::format("measure at least {}", least_steps));
  std::vector<double> errors;
  for (std::size_t i = 0; i < steps.size(); ++i)
    errors.push_back(law_without(steps, i).time(steps[i].batch) / steps[i].time - 1);
  ComputeLaw law = law_without(steps, steps.size());
  law.held_out = measurements::summarise(errors);
  return law;
}

}  // namespace calibrate::fits
