// Layers of plain vectors: dense, rectifier and embedding.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "learning/models/columns.hpp"
#include "learning/models/layers.hpp"
#include "learning/models/product.hpp"
#include "learning/models/random_parameters.hpp"

namespace learning::models {

// The fully connected layer as three matrix products.

std::string Dense::name() const {
  return "dense " + std::to_string(inputs_) + "x" + std::to_string(outputs_);
}

Extent Dense::extent() const {
  return {.inputs = positions_ * inputs_,
          .outputs = positions_ * outputs_,
          .parameters = (inputs_ + 1) * outputs_};
}

std::vector<kernels::Shape> Dense::matrices() const {
  const auto inputs = static_cast<std::int64_t>(inputs_), outputs = static_cast<std::int64_t>(outputs_);
  return {{inputs, outputs}, {1, outputs}};
}

void Dense::initialise(const kernels::RandomStream& random, std::span<float> parameters,
                       std::span<float> /*state*/) const {
  const double bound = next_ == Next::relu ? he_bound(inputs_) : glorot_bound(inputs_, outputs_);
  draw_uniform(random, 0, start_ * bound, parameters.first(inputs_ * outputs_));
  std::ranges::fill(parameters.last(outputs_), 0.0F);
}

void Dense::forward(const Pass& pass) const {
  fill_columns(pass.parameters.last(outputs_), pass.output);
  multiply({.rows = outputs_,
            .columns = pass.count * positions_,
            .depth = inputs_,
            .left = {pass.parameters.data(), 1, outputs_},
            .right = {pass.input.data(), 1, inputs_},
            .result = pass.output.data(),
            .stride = outputs_,
            .adds_to_result = true});
}

void Dense::backward(const Pass& pass, const BackwardPass& gradients) const {
  multiply({.rows = outputs_,
            .columns = inputs_,
            .depth = pass.count * positions_,
            .left = {gradients.of_output.data(), 1, outputs_},
            .right = {pass.input.data(), inputs_, 1},
            .result = gradients.of_parameters.data(),
            .stride = outputs_});
  sum_columns(gradients.of_output, gradients.of_parameters.last(outputs_));
  if (gradients.of_input.empty()) return;
  multiply({.rows = inputs_,
            .columns = pass.count * positions_,
            .depth = outputs_,
            .left = {pass.parameters.data(), outputs_, 1},
            .right = {gradients.of_output.data(), 1, outputs_},
            .result = gradients.of_input.data(),
            .stride = inputs_});
}

// The rectifier, forward and back.

void Relu::forward(const Pass& pass) const {
  const float* const from = pass.input.data();
  float* const to = pass.output.data();
  for (std::size_t i = 0; i < pass.output.size(); ++i) to[i] = from[i] < 0 ? 0.0F : from[i];
}

void Relu::backward(const Pass& pass, const BackwardPass& gradients) const {
  if (gradients.of_input.empty()) return;
  const float* const output = pass.output.data();
  const float* const from = gradients.of_output.data();
  float* const to = gradients.of_input.data();
  for (std::size_t i = 0; i < pass.output.size(); ++i) {
    const float slope = from[i];  // read in any case: a choice between values needs no jump
    to[i] = output[i] > 0 ? slope : 0.0F;
  }
}

// The embedding as a table that is looked up, and added to on the way back.

std::string Embedding::name() const {
  return "embedding " + std::to_string(alphabet_) + "x" + std::to_string(values_);
}

Extent Embedding::extent() const {
  return {.inputs = length_, .outputs = length_ * values_, .parameters = alphabet_ * values_};
}

std::vector<kernels::Shape> Embedding::matrices() const {
  return {{static_cast<std::int64_t>(alphabet_), static_cast<std::int64_t>(values_)}};
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
