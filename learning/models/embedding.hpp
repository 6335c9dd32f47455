// The embedding: each token of a text replaced by a vector that is learned.
#pragma once

#include "learning/models/layer.hpp"

namespace learning::models {

/// Parameters: one vector of `values` per token of the alphabet, uniform with variance 1 at first. Inputs are
/// tokens, whole numbers in [0, alphabet), as floats; no gradient passes to them.
class Embedding : public Layer {
 public:
  /// @param length  tokens per sample
  Embedding(std::size_t alphabet, std::size_t length, std::size_t values)
      : alphabet_(alphabet), length_(length), values_(values) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Extent extent() const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  std::size_t alphabet_;
  std::size_t length_;
  std::size_t values_;
};

}  // namespace learning::models
