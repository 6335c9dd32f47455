// Images as data sets store them, channel after channel, turned into position after position.
#pragma once

#include "learning/datasets/batch.hpp"
#include "learning/models/layer.hpp"

namespace learning::models {

/// Value (channel, position) moves from channel * positions + position to position * channels + channel.
class ChannelsLast : public Layer {
 public:
  explicit ChannelsLast(const datasets::Shape& input);

  [[nodiscard]] std::string name() const override { return "channels_last"; }
  [[nodiscard]] Extent extent() const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  std::size_t channels_;
  std::size_t positions_;
};

}  // namespace learning::models
