// Samples of any storage, turned into values as a batch takes them.
#include "learning/datasets/dataset.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

namespace learning::datasets {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Tokens = std::vector<std::uint16_t>;

/// Adds scale * value + offset for each value.
template <class Value>
void append_scaled(std::vector<float>& out, const Value* values, std::size_t count, float scale,
                   float offset) {
  const std::size_t before = out.size();
  out.resize(before + count);
  float* to = out.data() + before;
  // A fixed count, written to a separate variable, lets the compiler use vector instructions.
  constexpr std::size_t lanes = 16;
  std::array<float, lanes> scaled;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      scaled[lane] = scale * static_cast<float>(values[i + lane]) + offset;
    }
    std::ranges::copy(scaled, to + i);
  }
  for (; i < count; ++i) to[i] = scale * static_cast<float>(values[i]) + offset;
}

}  // namespace

Samples::Samples(std::size_t features, std::vector<std::uint8_t> bytes, float scale, float offset,
                 std::vector<std::uint16_t> labels)
    : features_(features),
      scale_(scale),
      offset_(offset),
      values_(std::move(bytes)),
      labels_(std::move(labels)) {
  assert(std::get<Bytes>(values_).size() == features_ * labels_.size());
}

Samples::Samples(std::size_t features, std::vector<float> values, std::vector<std::uint16_t> labels)
    : features_(features), values_(std::move(values)), labels_(std::move(labels)) {
  assert(std::get<std::vector<float>>(values_).size() == features_ * labels_.size());
}

Samples Samples::windows(std::size_t length, std::vector<std::uint16_t> tokens) {
  assert(length >= 1);
  Samples samples;
  samples.features_ = length;
  samples.values_ = std::move(tokens);
  return samples;
}

void Samples::standardise(const Samples& train) {
  const auto& bytes = std::get<std::vector<std::uint8_t>>(train.values_);
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;
  for (const std::uint8_t byte : bytes) {
    sum += byte;
    squares += std::uint64_t{byte} * byte;
  }
  const auto count = static_cast<double>(bytes.size());
  const double mean = static_cast<double>(sum) / count;
  const double variance = static_cast<double>(squares) / count - mean * mean;
  if (!(variance > 0)) return;
  scale_ = static_cast<float>(1 / std::sqrt(variance));
  offset_ = static_cast<float>(-mean / std::sqrt(variance));
}

std::size_t Samples::count() const {
  const Tokens* tokens = std::get_if<Tokens>(&values_);
  if (tokens == nullptr) return labels_.size();
  return tokens->size() > features_ ? tokens->size() - features_ : 0;
}

std::uint16_t Samples::label(std::size_t index) const {
  assert(index < count());
  const Tokens* tokens = std::get_if<Tokens>(&values_);
  return tokens == nullptr ? labels_[index] : (*tokens)[index + features_];
}

void Samples::append_to(Batch& batch, std::size_t index) const {
  assert(index < count() && batch.features == features_);
  if (const auto* bytes = std::get_if<Bytes>(&values_)) {
    append_scaled(batch.inputs, bytes->data() + index * features_, features_, scale_, offset_);
  } else if (const auto* values = std::get_if<std::vector<float>>(&values_)) {
    const float* first = values->data() + index * features_;
    batch.inputs.insert(batch.inputs.end(), first, first + features_);
  } else {
    append_scaled(batch.inputs, std::get<Tokens>(values_).data() + index, features_, 1.F, 0.F);
  }
  batch.labels.push_back(label(index));
}

}  // namespace learning::datasets
