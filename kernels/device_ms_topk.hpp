// MSTopk on the device.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/device_searching.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/ms_topk.hpp"

namespace kernels {

/// The CUDA twin of MsTopK. The mean is a sum in another order and agrees to 10^-12, so thresholds may differ
/// in their last bit, and messages where a value lies just there. The rounds ask among a sampled threshold's
/// candidates; they read the vector only where these are too few or too many.
class DeviceMsTopK : public DeviceSearching {
 public:
  explicit DeviceMsTopK(const MsTopK::Settings& settings);

  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;
  [[nodiscard]] bool count_is_fixed() const override { return true; }

 private:
  MsTopK::Settings settings_;
  DeviceStatistics statistics_;
  DeviceWorkspace<MsTopKSearch> search_;
};

}  // namespace kernels
