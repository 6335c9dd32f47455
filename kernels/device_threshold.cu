// One pass above a known threshold, and one over what it left.
#include <cassert>
#include <cmath>

#include "kernels/device_threshold.hpp"

namespace kernels {

DeviceThreshold::DeviceThreshold(const Threshold::Settings& settings)
    : threshold_(at_least(settings.threshold)), selection_(settings.index_bytes) {
  assert(std::isfinite(settings.threshold) && settings.threshold >= 0);
}

DeviceMessage DeviceThreshold::compress(std::span<const float> vector, StreamHandle stream) {
  return selection_.above(vector, threshold_, stream);
}

DeviceMessage DeviceThreshold::compress_fed(std::span<const float> gradient, std::span<float> residual,
                                            StreamHandle stream) {
  return selection_.above_fed(gradient, residual, threshold_, stream);
}

}  // namespace kernels
