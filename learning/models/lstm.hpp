// Long short-term memory over a sequence; its last hidden vector is the output.
#pragma once

#include "learning/models/layer.hpp"

namespace learning::models {

/// For each time t, with s the logistic function and h = c = 0 before the first:
///
///   i, f, o = s(W x_t + U h + b),  g = tanh(W x_t + U h + b),  c = f c + i g,  h = o tanh(c)
///
/// Parameters: W (4 hidden x inputs), U (4 hidden x hidden), each with the weights of one input together,
/// then b; rows in the order i, f, g, o. W and U start uniform by Glorot, b at 0 but for the forget gates' 1,
/// so that memory lasts from the start. Source: Hochreiter & Schmidhuber, "Long Short-Term Memory", Neural
/// Computation 9(8), 1997, with the forget
///         gate of Gers, Schmidhuber & Cummins, Neural Computation 12(10), 2000; gates in PyTorch's order.
class Lstm : public Layer {
 public:
  /// @param length  times per sample, at least 1
  /// @param inputs  values at each time
  Lstm(std::size_t length, std::size_t inputs, std::size_t hidden)
      : length_(length), inputs_(inputs), hidden_(hidden) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  struct Memory;
  [[nodiscard]] Memory memory(const Pass& pass) const;
  void step(const Memory& memory, std::size_t count, std::size_t time) const;
  void step_back(const Memory& memory, std::size_t count, std::size_t time) const;
  void parameter_gradients(const Pass& pass, const Memory& memory, std::span<float> gradients) const;

  std::size_t length_;
  std::size_t inputs_;
  std::size_t hidden_;
};

}  // namespace learning::models
