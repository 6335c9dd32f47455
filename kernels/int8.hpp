// Int8: each value as a signed byte of the largest magnitude in its block.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"

namespace kernels {

/// One signed byte per value and one scale per block: code = round(127 v / max|block|), halves to even;
/// restored = (max|block| / 127) code. The error is at most half a step, max|block| / 254, and a block of
/// zeros restores to zeros. A block with NaN or infinity restores to NaN. Not random; not unbiased.
///
/// Source: Dettmers et al., "8-bit Optimizers via Block-wise Quantization", ICLR 2022 (blocks; its codes are
///         of a dynamic data type, here they are linear, as in ZeRO++'s block quantisation).
class Int8 : public Coder {
 public:
  struct Settings {
    std::int64_t block = 4096;  ///< values that share a scale, at least 1
  };

  explicit Int8(const Settings& settings);

  /// CUDA implementation, of device_int8.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;

 private:
  Settings settings_;
};

}  // namespace kernels
