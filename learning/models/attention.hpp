// Attention of a sequence's last position to all of them: one head, as the last step of a causal block.
#pragma once

#include "learning/models/layer.hpp"

namespace learning::models {

/// With x_t = input_t + P_t and T the last position:
///
///   a_t = softmax over t of (Q x_T) . (K x_t) / sqrt(values),   y = x_T + sum over t of a_t V x_t
///
/// Nothing comes after the last position, so a causal mask would change nothing. Parameters: Q, K, V (values
/// x values, the weights of one input together), uniform by Glorot; then the positions P, which start at 0.
/// Leaves out: the other positions' outputs, which no layer above would read; normalisation.
/// Source: Vaswani et al., "Attention Is All You Need", NeurIPS 2017, equation 1; learned positions as in its
///         section 3.5.
class Attention : public Layer {
 public:
  /// @param length  positions per sample, at least 1
  /// @param values  at each position
  Attention(std::size_t length, std::size_t values) : length_(length), values_(values) {}

  [[nodiscard]] std::string name() const override { return "attention " + std::to_string(values_); }
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  struct Memory;
  [[nodiscard]] Memory memory(const Pass& pass) const;
  void attend(const Memory& memory, std::size_t sample, float* output) const;
  void attend_back(const Memory& memory, std::size_t sample, const float* of_output) const;
  void parameter_gradients(const Pass& pass, const Memory& memory, std::span<float> gradients) const;
  void input_gradients(const Pass& pass, const Memory& memory, std::span<const float> of_output) const;

  std::size_t length_;
  std::size_t values_;
};

}  // namespace learning::models
