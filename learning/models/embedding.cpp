// The embedding as a table that is looked up, and added to on the way back.
#include "learning/models/embedding.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "learning/models/random_parameters.hpp"

namespace learning::models {

std::string Embedding::name() const {
  return "embedding " + std::to_string(alphabet_) + "x" + std::to_string(values_);
}

Extent Embedding::extent() const {
  return {.inputs = length_, .outputs = length_ * values_, .parameters = alphabet_ * values_};
}

void Embedding::initialise(const kernels::RandomStream& random, std::span<float> parameters,
                           std::span<float> /*state*/) const {
  draw_uniform(random, 0, std::sqrt(3.0), parameters);
}

void Embedding::forward(const Pass& pass) const {
  for (std::size_t i = 0; i < pass.input.size(); ++i) {
    const auto token = static_cast<std::size_t>(pass.input[i]);
    assert(token < alphabet_);
    std::ranges::copy(pass.parameters.subspan(token * values_, values_),
                      pass.output.subspan(i * values_).begin());
  }
}

void Embedding::backward(const Pass& pass, const BackwardPass& gradients) const {
  std::ranges::fill(gradients.of_parameters, 0.0F);
  for (std::size_t i = 0; i < pass.input.size(); ++i) {
    const auto token = static_cast<std::size_t>(pass.input[i]);
    float* const to = gradients.of_parameters.data() + token * values_;
    const float* const from = gradients.of_output.data() + i * values_;
    for (std::size_t v = 0; v < values_; ++v) to[v] += from[v];
  }
}

}  // namespace learning::models
