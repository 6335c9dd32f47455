// Exact top-k of one vector.
#include <cassert>

#include "kernels/device_top_k.hpp"
#include "kernels/kept.hpp"

namespace kernels {

DeviceTopK::DeviceTopK(const TopK::Settings& settings)
    : ratio_(settings.ratio), selection_(settings.index_bytes) {
  assert(settings.ratio > 0 && settings.ratio <= 1);
}

DeviceMessage DeviceTopK::compress(std::span<const float> vector, StreamHandle stream) {
  return selection_.largest(vector, kept(ratio_, static_cast<std::int64_t>(vector.size())), stream);
}

DeviceMessage DeviceTopK::compress_fed(std::span<const float> gradient, std::span<float> residual,
                                       StreamHandle stream) {
  const std::int64_t k = kept(ratio_, static_cast<std::int64_t>(gradient.size()));
  return selection_.largest_fed(gradient, residual, k, stream);
}

}  // namespace kernels
