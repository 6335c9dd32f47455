// One layer of a model: its forward pass, and the gradient of the loss through its backward pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/matrix.hpp"
#include "kernels/philox.hpp"

namespace learning::models {

/// How many values a layer works on.
struct Extent {
  std::size_t inputs = 0;      ///< per sample
  std::size_t outputs = 0;     ///< per sample
  std::size_t parameters = 0;  ///< trained by gradients
  std::size_t state = 0;       ///< kept from batch to batch, not trained
};

/// Range of a layer's parameters in the flat vector.
struct LayerRange {
  std::string name;  ///< "dense 64x128"
  std::size_t offset = 0;
  std::size_t count = 0;                      ///< at least 1; layers without parameters are not listed
  std::vector<kernels::Shape> matrices = {};  ///< the parameters in their order, stored row by row; a vector
                                              ///< is a single row; `count` values together
};

enum class Phase { training, evaluation };

/// One batch on its way through one layer. Samples lie one after the other, each a column of a matrix. Images
/// lie position after position (row by row), with the channels of a position together; sequences likewise.
struct Pass {
  std::size_t count = 0;  ///< samples, at least 1
  Phase phase = Phase::training;
  std::span<const float> parameters;
  std::span<const float> state;
  std::span<const float> input;
  std::span<float> output;
  std::span<float> cache;  ///< `cache_size(count)` values that backward finds as forward left them
};

/// The gradients of the loss, backwards through one layer.
struct BackwardPass {
  std::span<const float> of_output;  ///< given
  std::span<float> of_parameters;    ///< overwritten
  std::span<float> of_input;         ///< overwritten; empty where not needed
};

/// Layers hold their sizes only; parameters and everything that changes is the caller's, so that one layer
/// serves many replicas and threads. No call allocates.
class Layer {
 public:
  virtual ~Layer() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual Extent extent() const = 0;
  [[nodiscard]] virtual std::size_t cache_size(std::size_t /*count*/) const { return 0; }

  /// The matrices and vectors that the parameters are, in their order; one vector where it says nothing else.
  [[nodiscard]] virtual std::vector<kernels::Shape> matrices() const {
    return {{1, static_cast<std::int64_t>(extent().parameters)}};
  }

  /// Adds where the parameters lie, from `offset` on: one range, or one for each layer that it is made of.
  virtual void list(std::size_t offset, std::vector<LayerRange>& ranges) const {
    const std::size_t count = extent().parameters;
    if (count > 0) ranges.push_back({name(), offset, count, matrices()});
  }

  /// Draws the parameters and sets the state to its start.
  virtual void initialise(const kernels::RandomStream& /*random*/, std::span<float> /*parameters*/,
                          std::span<float> /*state*/) const {}

  virtual void forward(const Pass& pass) const = 0;

  /// @param pass  as `forward` had it, in training
  virtual void backward(const Pass& pass, const BackwardPass& gradients) const = 0;

  /// Updates the state by a training batch; `pass.state` is the state before.
  virtual void update_state(const Pass& /*pass*/, std::span<float> /*state*/) const {}
};

}  // namespace learning::models
