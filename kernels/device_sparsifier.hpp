// What the device's compressors that send some values unchanged, with their places, have in common.
#pragma once

#include <span>

#include "kernels/device_compressor.hpp"

namespace kernels {

/// The CUDA twin of Sparsifier.
class DeviceSparsifier : public DeviceCompressor {
 public:
  /// sum[index] += value, for each pair.
  void accumulate(const DeviceMessage& message, std::span<float> sum, StreamHandle stream) const final;

  /// vector[index] = 0, for each pair.
  void subtract(const DeviceMessage& message, std::span<float> vector, StreamHandle stream) const final;
};

}  // namespace kernels
