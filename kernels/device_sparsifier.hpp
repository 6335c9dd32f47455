// What the device's compressors that send some values unchanged, with their indices, have in common.
#pragma once

#include <span>

#include "kernels/device_compressor.hpp"

namespace kernels {

/// sum[index] += value, for each pair of a message of pairs; those that repeat an index in their order.
void add_pairs(const DeviceMessage& message, std::span<float> sum, StreamHandle stream);

/// vector[index] = 0, for each index sent; nothing without indices.
void zero_at_indices(const DeviceMessage& message, std::span<float> vector, StreamHandle stream);

/// The CUDA implementation of Sparsifier.
class DeviceSparsifier : public DeviceCompressor {
 public:
  /// sum[index] += value, for each pair.
  void accumulate(const DeviceMessage& message, std::span<float> sum, StreamHandle stream) const final {
    add_pairs(message, sum, stream);
  }

  /// vector[index] = 0, for each pair.
  void subtract(const DeviceMessage& message, std::span<float> vector, StreamHandle stream) const final {
    zero_at_indices(message, vector, stream);
  }

  [[nodiscard]] bool sparse() const final { return true; }
};

}  // namespace kernels
