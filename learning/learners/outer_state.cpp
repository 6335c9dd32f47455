// Nesterov's momentum, plain momentum, FedAdam.
#include "learning/learners/outer_state.hpp"

#include <cmath>

namespace learning::learners {

void move_outside(const OuterRule& rule, std::span<const float> change, const OuterState& state) {
  using policies::OuterOptimizer;
  constexpr float second_moment = 0.99F;
  constexpr float min_divisor = 1e-3F;
  const auto rate = static_cast<float>(rule.rate);
  const auto momentum = static_cast<float>(rule.momentum);
  const bool adam = rule.optimizer == OuterOptimizer::adam;
  for (std::size_t place = 0; place < change.size(); ++place) {
    const float gradient = -change[place];
    float& velocity = state.velocity[place];
    float& squares = state.squares[place];
    velocity = momentum * velocity + (adam ? (1 - momentum) * gradient : gradient);
    squares = second_moment * squares + (1 - second_moment) * gradient * gradient;
    float step = velocity;
    if (adam) step /= std::sqrt(squares) + min_divisor;
    if (rule.optimizer == OuterOptimizer::nesterov) step = gradient + momentum * velocity;
    state.centre[place] -= rate * step;
  }
}

}  // namespace learning::learners
