// The state of outer steps: a centre with the moments of its optimizer.
#pragma once

#include <span>

#include "learning/learners/learner.hpp"

namespace learning::learners {

/// State of as many values as the change of a step.
struct OuterState {
  std::span<float> centre;
  std::span<float> velocity;
  std::span<float> squares;
};

/// An outer step.
/// @param change  its negative gradient
void move_outside(const OuterRule& rule, std::span<const float> change, const OuterState& state);

}  // namespace learning::learners
