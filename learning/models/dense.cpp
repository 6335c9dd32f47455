// The fully connected layer as three matrix products.
#include "learning/models/dense.hpp"

#include <algorithm>

#include "learning/models/columns.hpp"
#include "learning/models/product.hpp"
#include "learning/models/random_parameters.hpp"

namespace learning::models {

std::string Dense::name() const {
  return "dense " + std::to_string(inputs_) + "x" + std::to_string(outputs_);
}

Extent Dense::extent() const {
  return {.inputs = inputs_, .outputs = outputs_, .parameters = (inputs_ + 1) * outputs_};
}

void Dense::initialise(const kernels::RandomStream& random, std::span<float> parameters,
                       std::span<float> /*state*/) const {
  const double bound = next_ == Next::relu ? he_bound(inputs_) : glorot_bound(inputs_, outputs_);
  draw_uniform(random, 0, bound, parameters.first(inputs_ * outputs_));
  std::ranges::fill(parameters.last(outputs_), 0.0F);
}

void Dense::forward(const Pass& pass) const {
  fill_columns(pass.parameters.last(outputs_), pass.output);
  multiply({.rows = outputs_,
            .columns = pass.count,
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
            .depth = pass.count,
            .left = {gradients.of_output.data(), 1, outputs_},
            .right = {pass.input.data(), inputs_, 1},
            .result = gradients.of_parameters.data(),
            .stride = outputs_});
  sum_columns(gradients.of_output, gradients.of_parameters.last(outputs_));
  if (gradients.of_input.empty()) return;
  multiply({.rows = inputs_,
            .columns = pass.count,
            .depth = outputs_,
            .left = {pass.parameters.data(), outputs_, 1},
            .right = {gradients.of_output.data(), 1, outputs_},
            .result = gradients.of_input.data(),
            .stride = inputs_});
}

}  // namespace learning::models
