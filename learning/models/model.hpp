// A model as the learner sees it: one flat vector of parameters in, one flat gradient out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learning/datasets/batch.hpp"
#include "learning/models/layer.hpp"

namespace learning::models {

/// How well a model does on some samples.
struct Score {
  double loss_sum = 0;      ///< softmax cross-entropy, in nats, summed over the predictions
  std::size_t correct = 0;  ///< predictions whose largest output is the label (the first of equal ones)
  std::size_t count = 0;    ///< predictions: one per sample, or one per token

  Score& operator+=(const Score& other);
};

/// The activations of one forward pass and what the backward pass needs; grows to the largest batch seen and
/// is used again. One per thread; its model must live as long.
class Workspace {
 public:
  virtual ~Workspace() = default;
};

/// A stack of layers. It holds no parameters: those are the caller's, so that many replicas share one model.
///
/// Parameters and gradients are flat vectors of `parameter_count` values in the order of `layers`; state
/// (running statistics of batch norm) is a flat vector of `state_count` values that training updates and
/// evaluation reads.
class Model {
 public:
  virtual ~Model() = default;

  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual std::size_t parameter_count() const = 0;
  [[nodiscard]] virtual std::size_t state_count() const = 0;
  [[nodiscard]] virtual const std::vector<LayerRange>& layers() const = 0;
  /// Predictions per sample: 1, or as many as a sample has tokens.
  [[nodiscard]] virtual std::size_t predictions() const { return 1; }

  /// Draws the parameters (a function of only the seed) and sets the state to its start.
  virtual void initialise(std::uint64_t seed, std::span<float> parameters, std::span<float> state) const = 0;

  [[nodiscard]] virtual std::unique_ptr<Workspace> workspace() const = 0;

  /// The gradient of the mean loss over the batch, which holds at least one sample.
  /// @param gradient  overwritten
  /// @returns the score of the batch under the parameters as given
  virtual Score gradient(std::span<const float> parameters, std::span<float> state,
                         const datasets::Batch& batch, Workspace& workspace,
                         std::span<float> gradient) const = 0;

  /// Batch norm uses its running statistics here.
  virtual Score evaluate(std::span<const float> parameters, std::span<const float> state,
                         const datasets::Batch& batch, Workspace& workspace) const = 0;
};

}  // namespace learning::models
