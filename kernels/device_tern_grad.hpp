// TernGrad on the device: -1, 0 or 1 times the largest magnitude, rounded at random.
#pragma once

#include <span>

#include "kernels/device_coder.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/tern_grad.hpp"

namespace kernels {

/// The CUDA twin of TernGrad, bit for bit without `clip`. With it the scale may differ in its last place,
/// since the deviation is a sum in another order, and a value then may be rounded the other way.
class DeviceTernGrad : public DeviceCoder {
 public:
  explicit DeviceTernGrad(const TernGrad::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;

 protected:
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override;

 private:
  TernGrad::Settings settings_;
  DeviceStatistics statistics_;
};

}  // namespace kernels
