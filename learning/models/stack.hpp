// A model made of layers, one on the other, with softmax and cross-entropy at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learning/models/layer.hpp"
#include "learning/models/model.hpp"

namespace learning::models {

// The loss of classifiers: softmax and cross-entropy, with its gradient.

/// loss of a sample = -ln(softmax(outputs) at its label), in nats.
/// @param outputs   `classes` values per sample, sample after sample
/// @param labels    one class in [0, classes) per sample, at least one
/// @param gradient  as long as `outputs`, overwritten by (softmax - 1 at the label) / samples, the gradient
/// of
///                  the mean loss; empty where not needed
Score cross_entropy(std::size_t classes, std::span<const float> outputs,
                    std::span<const std::uint16_t> labels, std::span<float> gradient);

/// Parameters and state of the layers lie in one vector each, layer after layer. Layers below the first one
/// with parameters are spared the backward pass, and that one the gradient of its input.
class Stack : public Model {
 public:
  /// @param layers       at least one, each taking as many values as the one below gives; the last gives one
  ///                     value per class for each prediction
  /// @param predictions  per sample, at least 1. More than one: as many as the sample has tokens, each of the
  ///                     token that comes next; that of the last one is the sample's label
  Stack(std::string name, std::vector<std::unique_ptr<const Layer>> layers, std::size_t predictions = 1);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::size_t parameter_count() const override { return parameter_count_; }
  [[nodiscard]] std::size_t state_count() const override { return state_count_; }
  [[nodiscard]] const std::vector<LayerRange>& layers() const override { return ranges_; }
  [[nodiscard]] std::size_t predictions() const override { return predictions_; }

  void initialise(std::uint64_t seed, std::span<float> parameters, std::span<float> state) const override;
  [[nodiscard]] std::unique_ptr<Workspace> workspace() const override;
  Score gradient(std::span<const float> parameters, std::span<float> state, const datasets::Batch& batch,
                 Workspace& workspace, std::span<float> gradient) const override;
  Score evaluate(std::span<const float> parameters, std::span<const float> state,
                 const datasets::Batch& batch, Workspace& workspace) const override;

 private:
  /// A layer and where its values lie.
  struct Storey {
    std::unique_ptr<const Layer> layer;
    Extent extent;
    std::size_t parameters;  ///< offset
    std::size_t state;       ///< offset
  };
  class Buffers;

  /// The pass of storey `number` over `count` samples that enter the stack as `inputs`.
  [[nodiscard]] Pass pass(std::size_t number, Phase phase, std::span<const float> parameters,
                          std::span<const float> state, std::span<const float> inputs, std::size_t count,
                          Buffers& buffers) const;
  /// One label per prediction of these samples.
  [[nodiscard]] std::span<const std::uint16_t> labels(std::span<const float> inputs,
                                                      std::span<const std::uint16_t> labels,
                                                      Buffers& buffers) const;

  std::string name_;
  std::size_t predictions_;
  std::vector<Storey> storeys_;
  std::vector<LayerRange> ranges_;
  std::size_t first_trained_ = 0;  ///< number of the first storey with parameters
  std::size_t parameter_count_ = 0;
  std::size_t state_count_ = 0;
};

}  // namespace learning::models
