// Momentum correction on the device: velocity and residual in device memory, in front of any compressor.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/device_compressor.hpp"
#include "kernels/momentum_correction.hpp"

namespace kernels {

/// The CUDA implementation of MomentumCorrection, bit for bit. One pass reads gradient, velocity and residual
/// and writes the last two (20 bytes a value); then the compressor's own passes; the masking touches the
/// indices sent, whose number only the device knows.
class DeviceMomentumCorrection {
 public:
  /// Both memories are zeros once the stream has done its work.
  /// @param elements  n, in [0, 2^32]
  /// @throws DeviceError when there is no memory (8 n bytes)
  DeviceMomentumCorrection(std::int64_t elements, const MomentumCorrection::Settings& settings,
                           StreamHandle stream);

  /// One whole step; the gain is that of v. The message lies in the compressor's memory.
  /// @param gradient  n values in device memory
  /// @throws DeviceError
  DeviceMessage compress(DeviceCompressor& compressor, std::span<const float> gradient, StreamHandle stream);

  /// In device memory, both.
  [[nodiscard]] std::span<const float> velocity() const { return velocity_.first(elements_); }
  [[nodiscard]] std::span<const float> residual() const { return residual_.first(elements_); }

 private:
  MomentumCorrection::Settings settings_;
  std::int64_t elements_;
  DeviceWorkspace<float> velocity_;
  DeviceWorkspace<float> residual_;
};

}  // namespace kernels
