// 1-bit SGD: signs with the mean of the negative and the mean of the other values.
#pragma once

#include <span>

#include "kernels/coder.hpp"

namespace kernels {

/// One bit per value and two scales: restored = mean of the values that are not negative, or mean of the
/// negative ones; a mean of none is 0. A vector with NaN or infinity restores to NaN.
///
/// Leaves out: one pair of scales per column of each weight matrix, as in the original.
/// Source: Seide et al., "1-Bit Stochastic Gradient Descent and its Application to Data-Parallel Distributed
///         Training of Speech DNNs", Interspeech 2014.
class OneBit : public Coder {
 public:
  /// Its CUDA implementation, of device_signs.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device();

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;
};

}  // namespace kernels
