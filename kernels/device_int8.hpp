// Int8 on the device: each value as a signed byte of the largest magnitude in its block.
#pragma once

#include <span>

#include "kernels/device_coder.hpp"
#include "kernels/int8.hpp"

namespace kernels {

/// The CUDA twin of Int8, bit for bit. A warp codes a block of values.
class DeviceInt8 : public DeviceCoder {
 public:
  explicit DeviceInt8(const Int8::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;

 protected:
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override;

 private:
  Int8::Settings settings_;
};

}  // namespace kernels
