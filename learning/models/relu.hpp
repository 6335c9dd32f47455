// The rectifier: what is negative becomes zero.
#pragma once

#include "learning/models/layer.hpp"

namespace learning::models {

/// y = max(x, 0), value by value; its gradient at 0 is 0. NaN stays NaN.
class Relu : public Layer {
 public:
  explicit Relu(std::size_t values) : values_(values) {}

  [[nodiscard]] std::string name() const override { return "relu"; }
  [[nodiscard]] Extent extent() const override { return {.inputs = values_, .outputs = values_}; }
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  std::size_t values_;
};

}  // namespace learning::models
