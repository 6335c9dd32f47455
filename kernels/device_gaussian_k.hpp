// GaussianK on the device.
#pragma once

#include <span>

#include "kernels/device_searching.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/gaussian_k.hpp"
#include "kernels/gaussian_k_search.hpp"

namespace kernels {

/// The CUDA twin of GaussianK. The root mean square is a sum in another order and agrees to 10^-12, so
/// thresholds may differ in their last bit, and messages where a value lies just there. Its message has room
/// for all n values.
class DeviceGaussianK : public DeviceSearching {
 public:
  explicit DeviceGaussianK(const GaussianK::Settings& settings);

  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

 private:
  GaussianK::Settings settings_;
  double quantile_;
  DeviceStatistics statistics_;
  DeviceWorkspace<GaussianKSearch> search_;
};

}  // namespace kernels
