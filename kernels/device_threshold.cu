// Threshold on the device: every value at or above a magnitude that is known beforehand.
#include <cassert>
#include <cmath>
#include <memory>
#include <span>

#include "kernels/device_compressor.hpp"
#include "kernels/device_selection.hpp"
#include "kernels/threshold.hpp"

namespace kernels {
namespace {

/// The CUDA implementation of Threshold, bit for bit. Its message has memory for all n values.
class DeviceThreshold : public DeviceSparsifier {
 public:
  explicit DeviceThreshold(const Threshold::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;
  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

  [[nodiscard]] bool count_is_fixed() const override { return false; }

 private:
  Magnitude threshold_;
  DeviceSelection selection_;
};

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

}  // namespace

DeviceCompressorPtr Threshold::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceThreshold>(settings);
}

}  // namespace kernels
