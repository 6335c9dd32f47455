// The rectifier, forward and back.
#include "learning/models/relu.hpp"

namespace learning::models {

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

}  // namespace learning::models
