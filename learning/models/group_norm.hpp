// Group normalisation: groups of channels shifted and scaled to mean 0 and variance 1, sample by sample.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "learning/models/layer.hpp"

namespace learning::models {

/// y = gain * (x - mean) / sqrt(variance + 1e-5) + shift, with the mean and the biased variance of each group
/// of channels over all positions of one sample; gains and shifts belong to channels. Training and evaluation
/// are the same, and nothing is kept from batch to batch.
///
/// Parameters: gains, starting at 1 or as `Settings` say; shifts, starting at 0.
/// Source: Wu & He, "Group Normalization", ECCV 2018, equations 1 to 6; epsilon as in torch.nn.GroupNorm.
class GroupNorm final : public Layer {
 public:
  struct Settings {
    std::size_t channels = 1;
    std::size_t positions = 1;  ///< positions of each sample, at least 1
    std::size_t groups = 1;     ///< divide the channels
    float first_gain = 1;       ///< the gains before training
  };

  explicit GroupNorm(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  /// A group of one sample: where its first value lies, its number in the batch, its first channel.
  struct Group {
    std::size_t start;
    std::size_t number;
    std::size_t channel;
  };
  template <class Use>
  void for_each_group(std::size_t count, const Use& use) const;
  template <class Use>
  void for_each_value(const Group& group, const Use& use) const;
  template <class Term>
  [[nodiscard]] double sum(const Group& group, const Term& term) const;
  void parameter_gradients(const Pass& pass, const BackwardPass& gradients) const;

  [[nodiscard]] std::size_t width() const { return settings_.channels / settings_.groups; }

  Settings settings_;
};

}  // namespace learning::models
