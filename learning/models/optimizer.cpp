// Steps of the optimizers.
#include "learning/models/optimizer.hpp"

#include <cassert>
#include <cmath>
#include <utility>

namespace learning::models {
namespace {

/// p = p - rate v, with the velocity updated on the way; `nesterov` looks one step further.
template <bool nesterov>
void descend_with_momentum(std::span<float> parameters, std::span<const float> gradient,
                           std::span<float> velocity, float rate, float momentum, float decay) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float slope = gradient[i] + decay * parameters[i];
    velocity[i] = momentum * velocity[i] + slope;
    parameters[i] -= rate * (nesterov ? slope + momentum * velocity[i] : velocity[i]);
  }
}

}  // namespace

Optimizer::Optimizer(OptimizerSettings settings) : settings_(settings) {}

void Optimizer::reset() { *this = Optimizer(settings_); }

void Optimizer::step(std::span<float> parameters, std::span<const float> gradient, double learning_rate) {
  assert(parameters.size() == gradient.size());
  if (const Sgd* sgd = std::get_if<Sgd>(&settings_)) {
    apply(*sgd, parameters, gradient, static_cast<float>(learning_rate));
  } else {
    apply(*std::get_if<Adam>(&settings_), parameters, gradient, learning_rate);
  }
}

void Optimizer::apply(const Sgd& settings, std::span<float> parameters, std::span<const float> gradient,
                      float rate) {
  const auto momentum = static_cast<float>(settings.momentum);
  const auto decay = static_cast<float>(settings.weight_decay);
  if (settings.momentum == 0) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i] -= rate * (gradient[i] + decay * parameters[i]);
    }
    return;
  }
  first_.resize(parameters.size());
  if (settings.nesterov) {
    descend_with_momentum<true>(parameters, gradient, first_, rate, momentum, decay);
  } else {
    descend_with_momentum<false>(parameters, gradient, first_, rate, momentum, decay);
  }
}

void Optimizer::apply(const Adam& settings, std::span<float> parameters, std::span<const float> gradient,
                      double rate) {
  first_.resize(parameters.size());
  second_.resize(parameters.size());
  power1_ *= settings.beta1;
  power2_ *= settings.beta2;
  const auto step_size = static_cast<float>(rate / (1 - power1_));
  const auto correction = static_cast<float>(1 / std::sqrt(1 - power2_));
  const auto keep1 = static_cast<float>(settings.beta1);
  const auto keep2 = static_cast<float>(settings.beta2);
  const auto take1 = static_cast<float>(1 - settings.beta1);
  const auto take2 = static_cast<float>(1 - settings.beta2);
  const auto epsilon = static_cast<float>(settings.epsilon);
  const auto decay = static_cast<float>(settings.weight_decay);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float slope = gradient[i] + decay * parameters[i];
    first_[i] = keep1 * first_[i] + take1 * slope;
    second_[i] = keep2 * second_[i] + take2 * (slope * slope);
    parameters[i] -= step_size * first_[i] / (std::sqrt(second_[i]) * correction + epsilon);
  }
}

}  // namespace learning::models
