// Exact top-k on the device.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/device_selection.hpp"
#include "kernels/device_sparsifier.hpp"
#include "kernels/top_k.hpp"

namespace kernels {

/// The CUDA twin of TopK, bit for bit. Error feedback is fused: gradient and residual are read once, the
/// residual is written once.
class DeviceTopK : public DeviceSparsifier {
 public:
  explicit DeviceTopK(const TopK::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;
  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

  /// See DeviceSelection.
  [[nodiscard]] std::int64_t rescans(StreamHandle stream) const { return selection_.rescans(stream); }

 private:
  double ratio_;
  DeviceSelection selection_;
};

}  // namespace kernels
