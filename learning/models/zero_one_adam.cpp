// Steps with a variance of earlier ones.
#include "learning/models/zero_one_adam.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace learning::models {
namespace {

/// sqrt(v) + epsilon
struct Divisor {
  float epsilon;

  float operator()(float square) const { return std::sqrt(square) + epsilon; }
};

Divisor divisor_of(const ZeroOneAdam& settings) { return {static_cast<float>(settings.epsilon)}; }

/// beta1 m + (1 - beta1) g, from which a value whose v is 0 is left out.
void renew_momentum(const ZeroOneAdam& settings, OptimizerState& state, std::span<const float> gradient) {
  assert(state.second.size() == gradient.size() && "a step with whole gradients came first");
  const auto keep = static_cast<float>(settings.beta1);
  const auto take = static_cast<float>(1 - settings.beta1);
  for (std::size_t i = 0; i < gradient.size(); ++i)
    state.first[i] = state.second[i] == 0 ? 0 : keep * state.first[i] + take * gradient[i];
}

/// p = p - rate (m / r + decay p); `see(i, d)` is called with each change.
template <class See>
void descend(const ZeroOneAdam& settings, const OptimizerState& state, std::span<float> parameters,
             double learning_rate, const See& see) {
  const Divisor divisor = divisor_of(settings);
  const auto rate = static_cast<float>(learning_rate);
  const auto decay = static_cast<float>(settings.weight_decay);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float change = rate * (state.first[i] / divisor(state.second[i]) + decay * parameters[i]);
    parameters[i] -= change;
    see(i, change);
  }
}

void descend(const ZeroOneAdam& settings, const OptimizerState& state, std::span<float> parameters,
             double learning_rate) {
  descend(settings, state, parameters, learning_rate, [](std::size_t, float) {});
}

}  // namespace

void take_step(const ZeroOneAdam& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate) {
  state.first.resize(parameters.size());
  state.second.resize(parameters.size());
  const auto keep = static_cast<float>(settings.beta2);
  const auto take = static_cast<float>(1 - settings.beta2);
  for (std::size_t i = 0; i < gradient.size(); ++i)
    state.second[i] = keep * state.second[i] + take * (gradient[i] * gradient[i]);
  renew_momentum(settings, state, gradient);
  descend(settings, state, parameters, learning_rate);
}

void take_compressed_step(const ZeroOneAdam& settings, OptimizerState& state, std::span<float> parameters,
                          std::span<const float> received, double learning_rate) {
  renew_momentum(settings, state, received);
  descend(settings, state, parameters, learning_rate);
}

void take_local_step(const ZeroOneAdam& settings, OptimizerState& state, std::span<float> parameters,
                     std::span<const float> gradient, double learning_rate) {
  state.accumulated.resize(parameters.size());
  renew_momentum(settings, state, gradient);
  descend(settings, state, parameters, learning_rate,
          [&](std::size_t i, float change) { state.accumulated[i] -= change; });
  state.accumulated_rate += learning_rate;
}

void find_accumulated(const ZeroOneAdam& settings, const OptimizerState& state, std::span<float> sent) {
  const Divisor divisor = divisor_of(settings);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = divisor(state.second[i]) * state.accumulated[i];
}

void take_accumulated_step(const ZeroOneAdam& settings, OptimizerState& state, std::span<float> parameters,
                           std::span<const float> received) {
  const Divisor divisor = divisor_of(settings);
  const bool moved = state.accumulated_rate > 0;
  const auto share = moved ? static_cast<float>(1 / state.accumulated_rate) : 0.0F;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float arrived = state.second[i] == 0 ? 0 : received[i];
    if (moved) state.first[i] = -share * arrived;
    parameters[i] += arrived / divisor(state.second[i]);
  }
  std::ranges::fill(state.accumulated, 0.0F);
  state.accumulated_rate = 0;
}

}  // namespace learning::models
