// Layers of images that have no parameters.
#include <algorithm>
#include <cassert>

#include "learning/models/layers.hpp"

namespace learning::models {

// Pooling over squares of four positions.

namespace {

/// Calls square(first value of the upper left position in the input, first value in the output) for each
/// square.
template <class Square>
void for_each_square(std::size_t count, std::size_t height, std::size_t width, std::size_t channels,
                     const Square& square) {
  std::size_t to = 0;
  for (std::size_t sample = 0; sample < count; ++sample) {
    for (std::size_t y = 0; y + 1 < height; y += 2) {
      for (std::size_t x = 0; x + 1 < width; x += 2, to += channels) {
        square(((sample * height + y) * width + x) * channels, to);
      }
    }
  }
}

/// Moves what is left of each channel's gradient to `share` where the input is the largest value, else 0.
void take_share(const float* __restrict__ input, const float* __restrict__ largest, std::size_t channels,
                float* __restrict__ share, float* __restrict__ left) {
  for (std::size_t c = 0; c < channels; ++c) {
    const float rest = left[c];
    share[c] = input[c] == largest[c] ? rest : 0.0F;
    left[c] = input[c] == largest[c] ? 0.0F : rest;
  }
}

}  // namespace

MaxPool::MaxPool(const datasets::Shape& input)
    : channels_(static_cast<std::size_t>(input.channels)),
      width_(static_cast<std::size_t>(input.width)),
      height_(static_cast<std::size_t>(input.height)) {
  assert(input.height >= 2 && input.width >= 2);
}

datasets::Shape MaxPool::output_of(const datasets::Shape& input) {
  return {input.channels, input.height / 2, input.width / 2};
}

Extent MaxPool::extent() const {
  return {.inputs = channels_ * height_ * width_, .outputs = channels_ * (height_ / 2) * (width_ / 2)};
}

void MaxPool::forward(const Pass& pass) const {
  for_each_square(pass.count, height_, width_, channels_, [&](std::size_t from, std::size_t to) {
    const float* const above = pass.input.data() + from;
    const float* const below = above + width_ * channels_;
    float* const output = pass.output.data() + to;
    for (std::size_t c = 0; c < channels_; ++c) {
      output[c] =
          std::max(std::max(above[c], above[channels_ + c]), std::max(below[c], below[channels_ + c]));
    }
  });
}

void MaxPool::backward(const Pass& pass, const BackwardPass& gradients) const {
  if (gradients.of_input.empty()) return;
  if (height_ % 2 != 0 || width_ % 2 != 0) std::ranges::fill(gradients.of_input, 0.0F);
  for_each_square(pass.count, height_, width_, channels_, [&](std::size_t from, std::size_t to) {
    const std::size_t below = width_ * channels_;
    const float* const given = gradients.of_output.data() + to;
    float* const passed = gradients.of_input.data() + from;
    std::copy_n(given, channels_, passed + below + channels_);
    for (const std::size_t corner : {std::size_t{0}, channels_, below}) {
      take_share(pass.input.data() + from + corner, pass.output.data() + to, channels_, passed + corner,
                 passed + below + channels_);
    }
  });
}

// The order of an image's values, turned.

namespace {

/// Transposes each sample's matrix of `rows` x `columns` values, row after row, the columns one after the
/// other.
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
