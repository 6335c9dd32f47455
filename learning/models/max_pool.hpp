// Pooling: of each square of four positions, the largest value of every channel.
#pragma once

#include "learning/datasets/batch.hpp"
#include "learning/models/layer.hpp"

namespace learning::models {

/// Squares of 2 x 2 positions, side by side; a last odd row or column is left out. The gradient goes to the
/// largest of the four, the first of equal ones in reading order.
class MaxPool : public Layer {
 public:
  /// @param input  height and width at least 2
  explicit MaxPool(const datasets::Shape& input);

  /// The shape of what it gives.
  [[nodiscard]] static datasets::Shape output_of(const datasets::Shape& input);

  [[nodiscard]] std::string name() const override { return "max_pool 2x2"; }
  [[nodiscard]] Extent extent() const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  std::size_t channels_;
  std::size_t width_;   ///< of the input
  std::size_t height_;  ///< of the input
};

}  // namespace learning::models
