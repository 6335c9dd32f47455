// The order of an image's values, turned.
#include "learning/models/channels_last.hpp"

namespace learning::models {
namespace {

/// Of each sample's matrix of `rows` x `columns` values, row after row, the columns one after the other.
void transpose(std::size_t rows, std::size_t columns, std::span<const float> from, std::span<float> to) {
  for (std::size_t sample = 0; sample < from.size(); sample += rows * columns) {
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t i = 0; i < rows; ++i) to[sample + j * rows + i] = from[sample + i * columns + j];
    }
  }
}

}  // namespace

ChannelsLast::ChannelsLast(const datasets::Shape& input)
    : channels_(static_cast<std::size_t>(input.channels)), positions_(input.size() / channels_) {}

Extent ChannelsLast::extent() const {
  return {.inputs = channels_ * positions_, .outputs = channels_ * positions_};
}

void ChannelsLast::forward(const Pass& pass) const {
  transpose(channels_, positions_, pass.input, pass.output);
}

void ChannelsLast::backward(const Pass& /*pass*/, const BackwardPass& gradients) const {
  if (!gradients.of_input.empty()) transpose(positions_, channels_, gradients.of_output, gradients.of_input);
}

}  // namespace learning::models
