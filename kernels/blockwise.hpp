// Codes of few bits with one scale for each block of 256 values: signs, and signed 4-bit numbers.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"

namespace kernels {

/// Values that share a scale in `block_1bit`, `block_4bit` and `block_8bit`: 4 bytes for 256 values, which is
/// 12.5 % of one bit for each, 3.1 % of four and 1.6 % of eight. A multiple of a warp's 32 values.
inline constexpr std::int64_t scale_block = 256;

// Signs, and the mean magnitude of each block.

/// One bit per value and one scale per block: restored = -s where v < 0, else s, with s = mean|v| of the
/// block. A block of zeros restores to zeros, one with NaN or infinity to NaN. Biased: meant for error
/// feedback.
///
/// Leaves out: codes whose blocks end where a tensor ends.
/// Source: Karimireddy et al., "Error Feedback Fixes SignSGD and other Gradient Compression Schemes", ICML
///         2019 (the scaled sign); blocks: Zheng, Huang & Kwok, "Communication-Efficient Distributed
///         Blockwise Momentum SGD with Error-Feedback", NeurIPS 2019.
class BlockSign : public Coder {
 public:
  /// CUDA implementation, of device_blockwise.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device();

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;
};

// Signed 4-bit numbers of the largest magnitude in each block.

/// Bytes that the 4-bit codes of n values take.
constexpr std::int64_t nibble_bytes(std::int64_t elements) { return (elements + 1) / 2; }

/// Half a byte per value and one scale per block: code = round(7 v / max|block|), halves to even; restored =
/// (max|block| / 7) code. Value i is in the low half of byte i / 2 where i is even; an unused half is 0. A
/// block of zeros restores to zeros, one with NaN or infinity to NaN. Not random; not unbiased.
///
/// Source: Dettmers et al., "8-bit Optimizers via Block-wise Quantization", ICLR 2022 (blocks); 4 bits for
///         the changes of DiLoCo: Douillard et al., "Streaming DiLoCo with overlapping communication", 2025
///         (its codes have an exponent, here they are linear).
class Int4 : public Coder {
 public:
  /// @param block  values that share a scale, at least 1
  explicit Int4(std::int64_t block = scale_block);

  /// CUDA implementation in blocks of 256, of device_blockwise.cu; null where a program has none, see
  /// Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device();

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;

 private:
  std::int64_t block_;
};

}  // namespace kernels
