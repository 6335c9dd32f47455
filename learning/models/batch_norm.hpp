// Batch normalisation: each channel shifted and scaled to mean 0 and variance 1 over the batch.
#pragma once

#include "learning/models/layer.hpp"

namespace learning::models {

/// y = gain * (x - mean) / sqrt(variance + 1e-5) + shift, for each channel, over all samples and positions of
/// the batch in training, by the running statistics in evaluation.
///
/// Parameters: gains, starting at 1; shifts, starting at 0. State: running means, starting at 0; running
/// variances, starting at 1. A batch in training moves both a tenth of the way to its own mean and unbiased
/// variance. Where a channel has a single value in the batch (one sample, one position), y = shift, no
/// gradient passes, and the running variance is left as it is. Source: Ioffe & Szegedy, "Batch
/// Normalization", ICML 2015, algorithms 1 and 2; momentum and epsilon as in
///         torch.nn.BatchNorm2d.
class BatchNorm : public Layer {
 public:
  /// @param positions  of each sample: 1 for a plain vector, height * width for an image
  BatchNorm(std::size_t channels, std::size_t positions) : channels_(channels), positions_(positions) {}

  [[nodiscard]] std::string name() const override { return "batch_norm " + std::to_string(channels_); }
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;
  void update_state(const Pass& pass, std::span<float> state) const override;

 private:
  std::size_t channels_;
  std::size_t positions_;
};

}  // namespace learning::models
