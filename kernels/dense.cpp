// Nothing is compressed.
#include "kernels/dense.hpp"

#include <algorithm>
#include <cassert>

#include "kernels/statistics.hpp"

namespace kernels {

Message Dense::compress(std::span<const float> vector) {
  const double all = energy(vector);
  const auto bytes = static_cast<std::int64_t>(vector.size_bytes());
  return {static_cast<std::int64_t>(vector.size()), vector, {}, {}, bytes, {all, all}};
}

Message Dense::compress_fed(std::span<const float> gradient, std::span<float> residual) {
  assert(gradient.size() == residual.size());
  const auto elements = static_cast<std::int64_t>(gradient.size());
  float* sum = sum_.reserve(elements);
  for (std::size_t i = 0; i < gradient.size(); ++i) sum[i] = gradient[i] + residual[i];
  std::ranges::fill(residual, 0.0F);
  return compress(sum_.first(elements));
}

void Dense::accumulate(const Message& message, std::span<float> sum) const {
  assert(sum.size() == message.values.size());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += message.values[i];
}

void Dense::subtract([[maybe_unused]] const Message& message, std::span<float> vector) const {
  assert(vector.size() == message.values.size());
  std::ranges::fill(vector, 0.0F);
}

}  // namespace kernels
