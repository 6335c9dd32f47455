// Steps matrix by matrix, each as long as its matrix.
#include "learning/models/lamb.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>

#include "kernels/statistics.hpp"

namespace learning::models {
namespace {

/// A matrix: its number, and where its values are.
struct Part {
  std::size_t number;
  std::size_t begin;
  std::size_t count;

  template <class T>
  [[nodiscard]] std::span<T> of(std::span<T> values) const {
    return values.subspan(begin, count);
  }
  [[nodiscard]] std::span<float> of(std::vector<float>& values) const { return of(std::span(values)); }
  [[nodiscard]] std::span<const float> of(const std::vector<float>& values) const {
    return of(std::span<const float>(values));
  }
};

/// One part where no matrices are known.
template <class Use>
void each_matrix(const OptimizerState& state, std::size_t values, const Use& use) {
  if (state.matrices.empty()) return use(Part{0, 0, values});
  Part part{0, 0, 0};
  for (const kernels::Shape& shape : state.matrices) {
    part.count = static_cast<std::size_t>(shape.rows * shape.columns);
    use(part);
    part.begin += part.count;
    ++part.number;
  }
  assert(part.begin == values);
}

std::size_t matrices_in(const OptimizerState& state) {
  return std::max<std::size_t>(1, state.matrices.size());
}

/// m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon), for a value whose v is 0 as well.
class Scaled {
 public:
  Scaled(const OptimizerState& state, double epsilon)
      : first_(static_cast<float>(1 / (1 - state.power1))),
        second_(static_cast<float>(1 / std::sqrt(1 - state.power2))),
        epsilon_(static_cast<float>(epsilon)) {}

  [[nodiscard]] float divisor(float square) const { return std::sqrt(square) * second_ + epsilon_; }
  [[nodiscard]] float operator()(float mean, float square) const { return first_ * mean / divisor(square); }

 private:
  float first_;
  float second_;
  float epsilon_;
};

/// |u|, and |u| without the decay.
struct Norms {
  double update = 0;
  double momentum = 0;
};

Norms norms_of(const Scaled& scaled, std::span<const float> mean, std::span<const float> square,
               std::span<const float> own, float decay) {
  Norms norms;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const float part = scaled(mean[i], square[i]);
    const auto whole = static_cast<double>(part + decay * own[i]);
    norms.momentum += static_cast<double>(part) * part;
    norms.update += whole * whole;
  }
  return {std::sqrt(norms.update), std::sqrt(norms.momentum)};
}

void descend(const Scaled& scaled, std::span<const float> mean, std::span<const float> square,
             std::span<float> own, float decay, float rate) {
  for (std::size_t i = 0; i < own.size(); ++i) own[i] -= rate * (scaled(mean[i], square[i]) + decay * own[i]);
}

/// One step of LAMB; `see(part, c)` is called with each matrix's trust ratio.
template <class See>
void take_lamb_step(const Lamb& settings, OptimizerState& state, std::span<float> parameters,
                    std::span<const float> gradient, double learning_rate, const See& see) {
  state.first.resize(parameters.size());
  state.second.resize(parameters.size());
  state.power1 *= settings.beta1;
  state.power2 *= settings.beta2;
  const auto keep1 = static_cast<float>(settings.beta1);
  const auto keep2 = static_cast<float>(settings.beta2);
  const auto take1 = static_cast<float>(1 - settings.beta1);
  const auto take2 = static_cast<float>(1 - settings.beta2);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    state.first[i] = keep1 * state.first[i] + take1 * gradient[i];
    state.second[i] = keep2 * state.second[i] + take2 * (gradient[i] * gradient[i]);
  }
  const Scaled scaled(state, settings.epsilon);
  const auto decay = static_cast<float>(settings.weight_decay);
  each_matrix(state, parameters.size(), [&](const Part& part) {
    const std::span<float> own = part.of(parameters);
    const std::span<const float> mean = part.of(state.first);
    const std::span<const float> square = part.of(state.second);
    const double length = std::sqrt(kernels::energy(own));
    const double update = norms_of(scaled, mean, square, own, decay).update;
    double trust = 1;
    if (length > 0 && update > 0) trust = std::clamp(length / update, settings.min_trust, settings.max_trust);
    see(part, trust);
    descend(scaled, mean, square, own, decay, static_cast<float>(learning_rate * trust));
  });
}

/// Scales with which all matrices have the same root mean square of m.
std::vector<double> scales_of(const OptimizerState& state) {
  std::vector<double> roots(matrices_in(state));
  each_matrix(state, state.first.size(), [&](const Part& part) {
    roots[part.number] = std::sqrt(kernels::energy(part.of(state.first)) /
                                   static_cast<double>(std::max<std::size_t>(1, part.count)));
  });
  double mean = 0;
  for (const double root : roots) mean += root / static_cast<double>(roots.size());
  for (double& root : roots) root = root > 0 ? mean / root : 1;
  return roots;
}

void freeze(OptimizerState& state) {
  state.scales = scales_of(state);
  state.factors.assign(matrices_in(state), 1);
  state.fresh = state.second;
  state.fresh_power2 = state.power2;
}

/// m and f from what arrived; x of the matrix before its bounds.
double renew(const OneBitLamb& settings, OptimizerState& state, const Part& part,
             std::span<const float> received) {
  const auto beta1 = static_cast<float>(settings.lamb.beta1);
  const auto keep2 = static_cast<float>(settings.lamb.beta2);
  const auto take2 = static_cast<float>(1 - settings.lamb.beta2);
  const auto unscale = static_cast<float>(1 / state.scales[part.number]);
  const Scaled frozen(state, settings.lamb.epsilon);
  OptimizerState going_on;
  going_on.power1 = state.power1;
  going_on.power2 = state.fresh_power2;
  const Scaled fresh(going_on, settings.lamb.epsilon);
  double factor = -std::numeric_limits<double>::infinity();
  for (std::size_t i = part.begin; i < part.begin + part.count; ++i) {
    if (state.second[i] == 0) continue;
    const float mean = unscale * received[i];
    const float gradient = (mean - beta1 * state.first[i]) / (1 - beta1);
    state.first[i] = mean;
    state.fresh[i] = keep2 * state.fresh[i] + take2 * (gradient * gradient);
    factor = std::max(factor,
                      static_cast<double>(frozen.divisor(state.second[i]) / fresh.divisor(state.fresh[i])));
  }
  return std::max(factor, 0.0);
}

double bounded(const OneBitLamb& settings, double factor, double before) {
  const double within = std::clamp(factor, settings.min_factor, settings.max_factor);
  return std::clamp(within, before * (1 - settings.factor_threshold),
                    before * (1 + settings.factor_threshold));
}

}  // namespace

void take_step(const Lamb& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate) {
  take_lamb_step(settings, state, parameters, gradient, learning_rate, [](const Part&, double) {});
}

void take_step(const OneBitLamb& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate) {
  const bool first = state.trust.empty();
  state.trust.resize(matrices_in(state));
  take_lamb_step(settings.lamb, state, parameters, gradient, learning_rate,
                 [&](const Part& part, double trust) {
                   double& mean = state.trust[part.number];
                   mean = first ? trust : settings.trust_beta * mean + (1 - settings.trust_beta) * trust;
                 });
}

void find_momentum(const OneBitLamb& settings, const OptimizerState& state, std::span<const float> gradient,
                   std::span<float> sent) {
  assert(state.second.size() == gradient.size() && "a dense step came first");
  const std::vector<double> scales = state.scales.empty() ? scales_of(state) : state.scales;
  const auto keep = static_cast<float>(settings.lamb.beta1);
  const auto take = static_cast<float>(1 - settings.lamb.beta1);
  each_matrix(state, gradient.size(), [&](const Part& part) {
    const auto scale = static_cast<float>(scales[part.number]);
    for (std::size_t i = part.begin; i < part.begin + part.count; ++i)
      sent[i] = state.second[i] == 0 ? 0 : scale * (keep * state.first[i] + take * gradient[i]);
  });
}

void take_momentum_step(const OneBitLamb& settings, OptimizerState& state, std::span<float> parameters,
                        std::span<const float> received, double learning_rate) {
  if (state.factors.empty()) freeze(state);
  state.power1 *= settings.lamb.beta1;
  state.fresh_power2 *= settings.lamb.beta2;
  const auto decay = static_cast<float>(settings.lamb.weight_decay);
  each_matrix(state, parameters.size(), [&](const Part& part) {
    const double newest = renew(settings, state, part, received);
    const Scaled scaled(state, settings.lamb.epsilon);
    const std::span<float> own = part.of(parameters);
    const std::span<const float> mean = part.of(state.first);
    const std::span<const float> square = part.of(state.second);
    const Norms norms = norms_of(scaled, mean, square, own, decay);
    const double share = norms.update > 0 ? std::min(1.0, norms.momentum / norms.update) : 1;
    double& factor = state.factors[part.number];
    factor = bounded(settings, share * newest + 1 - share, factor);
    descend(scaled, mean, square, own, decay,
            static_cast<float>(learning_rate * state.trust[part.number] * factor));
  });
}

}  // namespace learning::models
