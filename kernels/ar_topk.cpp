// Top-k on the broadcaster, a gather everywhere else.
#include "kernels/ar_topk.hpp"

#include <cassert>

#include "kernels/kept.hpp"
#include "kernels/statistics.hpp"

namespace kernels {

ArTopK::ArTopK(const Settings& settings) : Sparsifier(settings.index_bytes), ratio_(settings.ratio) {
  assert(settings.ratio > 0 && settings.ratio <= 1);
}

Message ArTopK::compress(std::span<const float> vector) {
  const double given = largest_.select(vector, kept(ratio_, static_cast<std::int64_t>(vector.size())));
  return gathered(vector, largest_.indices(), given);
}

Message ArTopK::compress_fed(std::span<const float> gradient, std::span<float> residual) {
  const std::int64_t k = kept(ratio_, static_cast<std::int64_t>(gradient.size()));
  const double given = largest_.select_fed(gradient, residual, k);
  const Message message = gathered(residual, largest_.indices(), given);
  subtract(message, residual);
  return message;
}

Message ArTopK::compress_at(std::span<const float> vector, std::span<const Index> indices) {
  Message message = gathered(vector, indices, energy(vector));
  message.wire_bytes -= index_bytes() * static_cast<std::int64_t>(indices.size());
  return message;
}

}  // namespace kernels
