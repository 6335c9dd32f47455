// Half on the device: each value rounded to a 16-bit floating-point number.
#pragma once

#include <span>

#include "kernels/device_coder.hpp"
#include "kernels/half.hpp"

namespace kernels {

/// The CUDA twin of Half, bit for bit: it rounds by the same integer arithmetic.
class DeviceHalf : public DeviceCoder {
 public:
  explicit DeviceHalf(Half::Format format) : format_(format) {}

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;

 protected:
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override;

 private:
  Half::Format format_;
};

}  // namespace kernels
