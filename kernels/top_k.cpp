// Exact top-k of one vector.
#include "kernels/top_k.hpp"

#include <cassert>

#include "kernels/magnitude.hpp"

namespace kernels {

TopK::TopK(const Settings& settings) : Sparsifier(settings.index_bytes), ratio_(settings.ratio) {
  assert(settings.ratio > 0 && settings.ratio <= 1);
}

Message TopK::compress(std::span<const float> vector) {
  const double given = largest_.select(vector, kept(ratio_, static_cast<std::int64_t>(vector.size())));
  return gathered(vector, largest_.indices(), given);
}

Message TopK::compress_fed(std::span<const float> gradient, std::span<float> residual) {
  const std::int64_t k = kept(ratio_, static_cast<std::int64_t>(gradient.size()));
  const double given = largest_.select_fed(gradient, residual, k);
  const Message message = gathered(residual, largest_.indices(), given);
  subtract(message, residual);
  return message;
}

}  // namespace kernels
