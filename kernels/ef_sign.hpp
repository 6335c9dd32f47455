// EF-sign: signs times the mean magnitude.
#pragma once

#include <span>

#include "kernels/coder.hpp"

namespace kernels {

/// One bit per value and one scale: restored = -s where v < 0, else s, with s = mean|v| of the whole vector.
/// A vector with NaN or infinity restores to NaN.
///
/// Leaves out: one scale per layer (compress the layers one by one).
/// Source: Karimireddy et al., "Error Feedback Fixes SignSGD and other Gradient Compression Schemes", ICML
///         2019, Algorithm 1 with the scaled sign.
class EfSign : public Coder {
 public:
  /// Its CUDA implementation, of device_signs.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device();

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;
};

}  // namespace kernels
