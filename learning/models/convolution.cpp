// The convolution as matrix products with the patches of one image at a time, which stay in the cache.
#include <algorithm>
#include <cassert>
#include <cstring>

#include "learning/models/columns.hpp"
#include "learning/models/layers.hpp"
#include "learning/models/product.hpp"
#include "learning/models/random_parameters.hpp"

namespace learning::models {
namespace {

/// Rows of a patch are copied in pieces of this many values, the last one beyond the row's end: what it
/// spoils is written next. So each copy is one instruction.
constexpr std::size_t piece = 8;

std::size_t positive(int value) {
  assert(value >= 0);
  return static_cast<std::size_t>(value);
}

}  // namespace

/// The parts of the cache.
struct Convolution::Scratch {
  std::span<float> padded;   // one image with its zeros, and a piece to overrun
  std::span<float> patches;  // a column for each position of the output, and a piece to overrun
  std::span<float> patch_gradients;
};

Convolution::Convolution(const Settings& settings)
    : channels_(positive(settings.input.channels)),
      height_(positive(settings.input.height)),
      width_(positive(settings.input.width)),
      filters_(positive(settings.filters)),
      size_(positive(settings.size)),
      padding_(positive(settings.padding)),
      padded_width_(width_ + 2 * padding_),
      padded_height_(height_ + 2 * padding_),
      output_height_(padded_height_ - size_ + 1),
      output_width_(padded_width_ - size_ + 1) {
  assert(size_ >= 1 && size_ <= padded_width_ && size_ <= padded_height_);
}

datasets::Shape Convolution::output_of(const Settings& settings) {
  const int smaller = settings.size - 1 - 2 * settings.padding;
  return {settings.filters, settings.input.height - smaller, settings.input.width - smaller};
}

std::string Convolution::name() const {
  const std::string side = std::to_string(size_);
  return "convolution " + std::to_string(filters_) + " of " + side + "x" + side;
}

Extent Convolution::extent() const {
  return {.inputs = channels_ * height_ * width_,
          .outputs = filters_ * output_height_ * output_width_,
          .parameters = filters_ * (size_ * size_ * channels_ + 1)};
}

std::vector<kernels::Shape> Convolution::matrices() const {
  const auto filters = static_cast<std::int64_t>(filters_);
  return {{static_cast<std::int64_t>(size_ * size_ * channels_), filters}, {1, filters}};
}

std::size_t Convolution::cache_size(std::size_t /*count*/) const {
  const std::size_t patches = output_height_ * output_width_ * size_ * size_ * channels_;
  return padded_width_ * padded_height_ * channels_ + piece + 2 * (patches + piece);
}

Convolution::Scratch Convolution::scratch(std::span<float> cache) const {
  const std::size_t padded = padded_width_ * padded_height_ * channels_ + piece;
  const std::size_t patches = (cache.size() - padded) / 2;
  return {cache.first(padded), cache.subspan(padded, patches), cache.subspan(padded + patches, patches)};
}

void Convolution::initialise(const kernels::RandomStream& random, std::span<float> parameters,
                             std::span<float> /*state*/) const {
  const std::size_t weights = parameters.size() - filters_;
  draw_uniform(random, 0, he_bound(weights / filters_), parameters.first(weights));
  std::ranges::fill(parameters.last(filters_), 0.0F);
}

void Convolution::pad(std::span<const float> image, std::span<float> padded) const {
  std::ranges::fill(padded, 0.0F);
  const std::size_t row = width_ * channels_;
  for (std::size_t y = 0; y < height_; ++y) {
    const std::size_t to = ((y + padding_) * padded_width_ + padding_) * channels_;
    std::ranges::copy(image.subspan(y * row, row), padded.subspan(to).begin());
  }
}

void Convolution::crop(std::span<const float> padded, std::span<float> image) const {
  const std::size_t row = width_ * channels_;
  for (std::size_t y = 0; y < height_; ++y) {
    const std::size_t from = ((y + padding_) * padded_width_ + padding_) * channels_;
    std::ranges::copy(padded.subspan(from, row), image.subspan(y * row).begin());
  }
}

void Convolution::take_patches(std::span<const float> padded, std::span<float> patches) const {
  const std::size_t row = size_ * channels_;
  float* to = patches.data();
  for (std::size_t y = 0; y < output_height_; ++y) {
    for (std::size_t x = 0; x < output_width_; ++x) {
      const float* from = padded.data() + (y * padded_width_ + x) * channels_;
      for (std::size_t line = 0; line < size_; ++line) {
        for (std::size_t i = 0; i < row; i += piece) std::memcpy(to + i, from + i, piece * sizeof(float));
        to += row;
        from += padded_width_ * channels_;
      }
    }
  }
}

void Convolution::add_patches(std::span<const float> patches, std::span<float> padded) const {
  const std::size_t row = size_ * channels_;
  const float* from = patches.data();
  for (std::size_t y = 0; y < output_height_; ++y) {
    for (std::size_t x = 0; x < output_width_; ++x) {
      float* to = padded.data() + (y * padded_width_ + x) * channels_;
      for (std::size_t line = 0; line < size_; ++line) {
        for (std::size_t i = 0; i < row; ++i) to[i] += from[i];
        from += row;
        to += padded_width_ * channels_;
      }
    }
  }
}

void Convolution::forward(const Pass& pass) const {
  const Scratch parts = scratch(pass.cache);
  const std::size_t patch = size_ * size_ * channels_;
  const std::size_t inputs = channels_ * height_ * width_;
  const std::size_t positions = output_height_ * output_width_;
  fill_columns(pass.parameters.last(filters_), pass.output);
  for (std::size_t sample = 0; sample < pass.count; ++sample) {
    pad(pass.input.subspan(sample * inputs, inputs), parts.padded);
    take_patches(parts.padded, parts.patches);
    multiply({.rows = filters_,
              .columns = positions,
              .depth = patch,
              .left = {pass.parameters.data(), 1, filters_},
              .right = {parts.patches.data(), 1, patch},
              .result = pass.output.data() + sample * filters_ * positions,
              .stride = filters_,
              .adds_to_result = true});
  }
}

void Convolution::backward(const Pass& pass, const BackwardPass& gradients) const {
  const Scratch parts = scratch(pass.cache);
  const std::size_t patch = size_ * size_ * channels_;
  const std::size_t inputs = channels_ * height_ * width_;
  const std::size_t positions = output_height_ * output_width_;
  sum_columns(gradients.of_output, gradients.of_parameters.last(filters_));
  for (std::size_t sample = 0; sample < pass.count; ++sample) {
    const float* const of_output = gradients.of_output.data() + sample * filters_ * positions;
    pad(pass.input.subspan(sample * inputs, inputs), parts.padded);
    take_patches(parts.padded, parts.patches);
    multiply({.rows = filters_,
              .columns = patch,
              .depth = positions,
              .left = {of_output, 1, filters_},
              .right = {parts.patches.data(), patch, 1},
              .result = gradients.of_parameters.data(),
              .stride = filters_,
              .adds_to_result = sample > 0});
    if (gradients.of_input.empty()) continue;
    multiply({.rows = patch,
              .columns = positions,
              .depth = filters_,
              .left = {pass.parameters.data(), filters_, 1},
              .right = {of_output, 1, filters_},
              .result = parts.patch_gradients.data(),
              .stride = patch});
    std::ranges::fill(parts.padded, 0.0F);
    add_patches(parts.patch_gradients, parts.padded);
    crop(parts.padded, gradients.of_input.subspan(sample * inputs, inputs));
  }
}

}  // namespace learning::models
