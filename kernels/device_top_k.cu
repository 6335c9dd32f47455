// Exact top-k on the device.
#include <cassert>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/device_compressor.hpp"
#include "kernels/device_selection.hpp"
#include "kernels/magnitude.hpp"
#include "kernels/top_k.hpp"

namespace kernels {
namespace {

/// The CUDA implementation of TopK, bit for bit. Error feedback is fused: gradient and residual are read
/// once, the residual is written once.
class DeviceTopK : public DeviceSparsifier {
 public:
  explicit DeviceTopK(const TopK::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;
  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

  [[nodiscard]] std::int64_t rescans(StreamHandle stream) const override {
    return selection_.rescans(stream);
  }

 private:
  double ratio_;
  DeviceSelection selection_;
};

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

}  // namespace

DeviceCompressorPtr TopK::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceTopK>(settings);
}

}  // namespace kernels
