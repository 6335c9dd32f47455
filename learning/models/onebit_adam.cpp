// Steps with a frozen variance.
#include "learning/models/onebit_adam.hpp"

#include <cassert>
#include <cmath>

#include "learning/models/optimizer.hpp"

namespace learning::models {

void take_step(const OneBitAdam& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate) {
  take_step(AdamW{settings.beta1, settings.beta2, settings.epsilon, settings.weight_decay}, state, parameters,
            gradient, learning_rate);
}

void find_momentum(const OneBitAdam& settings, const OptimizerState& state, std::span<const float> gradient,
                   std::span<float> sent) {
  assert(state.second.size() == gradient.size() && "a dense step came first");
  const auto keep = static_cast<float>(settings.beta1);
  const auto take = static_cast<float>(1 - settings.beta1);
  for (std::size_t i = 0; i < sent.size(); ++i)
    sent[i] = state.second[i] == 0 ? 0 : keep * state.first[i] + take * gradient[i];
}

void take_momentum_step(const OneBitAdam& settings, OptimizerState& state, std::span<float> parameters,
                        std::span<const float> received, double learning_rate) {
  state.power1 *= settings.beta1;
  const auto step_size = static_cast<float>(learning_rate / (1 - state.power1));
  const auto correction = static_cast<float>(1 / std::sqrt(1 - state.power2));
  const auto epsilon = static_cast<float>(settings.epsilon);
  const auto keep = static_cast<float>(1 - learning_rate * settings.weight_decay);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    state.first[i] = state.second[i] == 0 ? 0 : received[i];
    parameters[i] = keep * parameters[i] -
                    step_size * state.first[i] / (std::sqrt(state.second[i]) * correction + epsilon);
  }
}

}  // namespace learning::models
