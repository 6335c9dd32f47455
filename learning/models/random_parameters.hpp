// First values of parameters: uniform, with the variance that keeps signals alive through the layers.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "kernels/philox.hpp"

namespace learning::models {

/// Uniform in [-bound, bound): value i is word `first_word + i` of the stream on every machine.
inline void draw_uniform(const kernels::RandomStream& random, std::size_t first_word, double bound,
                         std::span<float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float unit = kernels::unit_interval(random.word(first_word + i));
    values[i] = static_cast<float>(bound) * (2 * unit - 1);
  }
}

/// For layers that a ReLU follows: variance 2 / inputs.
/// Source: He, Zhang, Ren & Sun, "Delving Deep into Rectifiers", ICCV 2015, equation 10.
inline double he_bound(std::size_t inputs) { return std::sqrt(6.0 / static_cast<double>(inputs)); }

/// For other layers: variance 2 / (inputs + outputs).
/// Source: Glorot & Bengio, "Understanding the Difficulty of Training Deep Feedforward Neural Networks",
///         AISTATS 2010, equation 16.
inline double glorot_bound(std::size_t inputs, std::size_t outputs) {
  return std::sqrt(6.0 / static_cast<double>(inputs + outputs));
}

}  // namespace learning::models
