// QSGD on the device: each value's share in the norm of its bucket, rounded at random to a level.
#pragma once

#include <span>

#include "kernels/device_coder.hpp"
#include "kernels/qsgd.hpp"

namespace kernels {

/// The CUDA twin of Qsgd, bit for bit: the same Philox words, and norms added in the CPU twin's order. A warp
/// codes a bucket.
class DeviceQsgd : public DeviceCoder {
 public:
  explicit DeviceQsgd(const Qsgd::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;

 protected:
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override;

 private:
  Qsgd::Settings settings_;
};

}  // namespace kernels
