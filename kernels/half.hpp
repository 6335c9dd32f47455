// Half: each value rounded to a 16-bit floating-point number.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"

namespace kernels {

// Conversions between float and the two 16-bit formats, rounding to nearest even.

/// IEEE 754 binary16 of a float: 5 exponent bits, 10 fraction bits. To nearest, ties to even; from 65520 on
/// infinity; denormals are kept, below 2^-25 (and at it) zero; NaN stays NaN, quiet, with its upper payload
/// bits.
constexpr std::uint16_t to_binary16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t size = bits & 0x7fffffffU;
  std::uint32_t half = 0;
  if (size > 0x7f800000U) {
    half = 0x7e00U | (size >> 13 & 0x1ffU);
  } else if (size >= 0x477ff000U) {  // 65520, halfway between the largest finite value and the next step
    half = 0x7c00U;
  } else if (size >= 0x38800000U) {  // 2^-14: normal; the exponents' origins differ by 112
    half = (size - 0x38000000U + 0xfffU + (size >> 13 & 1U)) >> 13;
  } else {
    // Added to 0.5 a denormal's last place becomes 2^-24, and the addition rounds to nearest even.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5F) - 0x3f000000U;
  }
  return static_cast<std::uint16_t>(sign | half);
}

/// Exact.
constexpr float from_binary16(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t exponent = half >> 10 & 0x1fU;
  const std::uint32_t fraction = half & 0x3ffU;
  std::uint32_t size = 0;
  if (exponent == 0) {
    size = std::bit_cast<std::uint32_t>(static_cast<float>(fraction) * 0x1p-24F);
  } else if (exponent == 0x1f) {
    size = 0x7f800000U | fraction << 13;
  } else {
    size = (exponent + 112) << 23 | fraction << 13;
  }
  return std::bit_cast<float>(sign | size);
}

/// bfloat16: the upper half of a float. To nearest, ties to even; values beyond the largest bfloat16 by half
/// a step or more become infinity; NaN stays NaN, quiet.
constexpr std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

/// Exact.
constexpr float from_bfloat16(std::uint16_t half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

/// Two bytes per value, low byte first, rounded to nearest even; see half_float.hpp for the edges. What
/// overflows becomes infinity and is not kept as a residual.
///
/// Source: IEEE 754 binary16 and bfloat16, as in PyTorch's fp16_compress_hook and bf16_compress_hook.
class Half : public Coder {
 public:
  enum class Format { binary16, bfloat16 };

  explicit Half(Format format) : format_(format) {}

  /// CUDA implementation, of device_half.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(Format format);

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;

 private:
  Format format_;
};

}  // namespace kernels
