// Shared code of gradient compressors.
#include "kernels/compressor.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "kernels/lanes.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {

// Error feedback in two passes, and restoring by adding to zeros.

Message Compressor::compress_fed(std::span<const float> gradient, std::span<float> residual) {
  assert(gradient.size() == residual.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) residual[i] += gradient[i];
  const Message message = compress(residual);
  subtract(message, residual);
  return message;
}

void Compressor::restore(const Message& message, std::span<float> vector) const {
  std::ranges::fill(vector, 0.0F);
  accumulate(message, vector);
}

// Adding and subtracting decoded values, one stretch at a time.

template <class Use>
void Coder::each_stretch(const Message& message, std::span<float> vector, Use use) const {
  assert(static_cast<std::int64_t>(vector.size()) == message.elements);
  std::array<float, stretch> decoded;
  for (std::int64_t first = 0; first < message.elements; first += stretch) {
    const auto size = static_cast<std::size_t>(std::min(stretch, message.elements - first));
    decode(message, first, std::span(decoded).first(size));
    float* values = &vector[static_cast<std::size_t>(first)];
    for (std::size_t i = 0; i < size; ++i) values[i] = use(values[i], decoded[i]);
  }
}

void Coder::accumulate(const Message& message, std::span<float> sum) const {
  each_stretch(message, sum, [](float value, float decoded) { return value + decoded; });
}

void Coder::subtract(const Message& message, std::span<float> vector) const {
  each_stretch(message, vector, [](float value, float decoded) {
    const float left = value - decoded;
    return is_finite(left) ? left : 0.0F;
  });
}

// Gathering, scattering and zeroing at given indices.

void Sparsifier::accumulate(const Message& message, std::span<float> sum) const {
  assert(static_cast<std::int64_t>(sum.size()) == message.elements);
  for (std::size_t i = 0; i < message.indices.size(); ++i) sum[message.indices[i]] += message.values[i];
}

void Sparsifier::subtract(const Message& message, std::span<float> vector) const {
  assert(static_cast<std::int64_t>(vector.size()) == message.elements);
  for (const Index index : message.indices) vector[index] = 0;
}

Message Sparsifier::gathered(std::span<const float> vector, std::span<const Index> indices, double given) {
  const auto count = static_cast<std::int64_t>(indices.size());
  float* values = values_.reserve(static_cast<std::int64_t>(vector.size()));  // the count may change by step
  LaneSums squares;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const float value = vector[indices[i]];
    values[i] = value;
    squares.add_one(i, static_cast<double>(value) * value);
  }
  const auto pair_bytes = static_cast<std::int64_t>(sizeof(float)) + index_bytes_;
  return {static_cast<std::int64_t>(vector.size()),
          values_.first(count),
          indices,
          {},
          count * pair_bytes,
          {squares.total(), given}};
}

}  // namespace kernels
