// Runs one layer by itself in a test, and holds its gradients against differences of its outputs.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/philox.hpp"
#include "learning/models/layer.hpp"

namespace learning::models::testing {

using Values = std::vector<float>;

/// Uniform in [-1, 1), the same everywhere.
inline Values random_values(std::size_t count, std::uint64_t seed) {
  const kernels::RandomStream random{seed, 0};
  Values values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 2 * kernels::unit_interval(random.word(i)) - 1;
  return values;
}

/// A layer with all that its caller keeps. `input` may be changed between runs; `parameters` and `state` too.
struct Bench {
  Bench(const Layer& tested, std::size_t samples, Values inputs)
      : layer(tested), count(samples), input(std::move(inputs)) {
    const Extent extent = layer.extent();
    EXPECT_EQ(input.size(), count * extent.inputs);
    parameters.resize(extent.parameters);
    state.resize(extent.state);
    output.resize(count * extent.outputs);
    cache.resize(layer.cache_size(count));
    layer.initialise({.seed = 5, .step = 0}, parameters, state);
  }

  [[nodiscard]] Pass pass(Phase phase) {
    return {.count = count,
            .phase = phase,
            .parameters = parameters,
            .state = state,
            .input = input,
            .output = output,
            .cache = cache};
  }
  const Values& forward(Phase phase = Phase::training) {
    layer.forward(pass(phase));
    return output;
  }
  /// Writes to `parameter_gradient` and `input_gradient`, both full of rubbish before; after `forward`.
  void backward(const Values& of_output) {
    parameter_gradient.assign(parameters.size(), 77);
    input_gradient.assign(input.size(), 77);
    layer.backward(pass(Phase::training), {of_output, parameter_gradient, input_gradient});
  }

  const Layer& layer;
  std::size_t count;
  Values input, parameters, state, output, cache, parameter_gradient, input_gradient;
};

/// The slope of sum(weights * output) along one value, by a central difference.
inline double slope_along(Bench& bench, const Values& weights, float& value, float step) {
  const float before = value;
  const auto weighted_at = [&](float moved) {
    value = moved;
    const Values& output = bench.forward();
    double sum = 0;
    for (std::size_t i = 0; i < output.size(); ++i)
      sum += static_cast<double>(weights[i]) * static_cast<double>(output[i]);
    return sum;
  };
  const float above = before + step, below = before - step;
  const double difference = weighted_at(above) - weighted_at(below);
  value = before;
  return difference / (static_cast<double>(above) - static_cast<double>(below));
}

/// Every gradient of `layer` against differences, to `tolerance` of the largest one. Where outputs are linear
/// in what is moved, any step is exact; else its error falls with step^2 and rises with 1e-7 / step.
inline void check_gradients(Bench& bench, float step, double tolerance, bool of_inputs = true) {
  const Values weights = random_values(bench.output.size(), 99);
  bench.forward();
  bench.backward(weights);
  const Values of_parameters = bench.parameter_gradient, of_input = bench.input_gradient;
  const auto compare = [&](Values& values, const Values& gradient, const std::string& what) {
    double scale = 1e-3;
    for (const float slope : gradient) scale = std::max(scale, std::abs(static_cast<double>(slope)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(gradient[i]), slope_along(bench, weights, values[i], step),
                  tolerance * scale)
          << what << " " << i;
    }
  };
  compare(bench.parameters, of_parameters, "parameter");
  if (of_inputs) compare(bench.input, of_input, "input");
}

}  // namespace learning::models::testing
