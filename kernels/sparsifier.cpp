// Gathering, scattering and zeroing at given indices.
#include "kernels/sparsifier.hpp"

#include <cassert>

#include "kernels/lanes.hpp"

namespace kernels {

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
