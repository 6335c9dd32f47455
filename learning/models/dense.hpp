// The fully connected layer: every output is a weighted sum of all inputs.
#pragma once

#include "learning/models/layer.hpp"

namespace learning::models {

/// What follows a layer; it decides from which width the first weights are drawn.
enum class Next { relu, other };

/// y = W x + b. Parameters: W as outputs x inputs, the weights of one input together; then b, which starts at
/// 0. W starts uniform, by He where a ReLU follows, else by Glorot.
class Dense : public Layer {
 public:
  /// @param inputs, outputs  at least 1
  Dense(std::size_t inputs, std::size_t outputs, Next next)
      : inputs_(inputs), outputs_(outputs), next_(next) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Extent extent() const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  std::size_t inputs_;
  std::size_t outputs_;
  Next next_;
};

}  // namespace learning::models
