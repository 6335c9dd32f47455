// Compressors that send signs, packed eight to a byte: EF-sign, 1-bit SGD and signSGD.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/compressor.hpp"

namespace kernels {

// Signs packed eight to a byte.

/// Bytes that the signs of n values take.
constexpr std::int64_t sign_bytes(std::int64_t elements) { return (elements + 7) / 8; }

/// Bit i mod 8 of byte i / 8 is set where value i is negative. Zero counts as positive with any sign bit,
/// and so does NaN; the unused bits of the last byte are 0.
/// @param packed  sign_bytes(values.size()) bytes
inline void pack_signs(std::span<const float> values, std::span<std::uint8_t> packed) {
  for (std::size_t byte = 0; byte < packed.size(); ++byte) {
    unsigned bits = 0;
    const std::size_t first = byte * 8;
    const std::size_t count = values.size() - first < 8 ? values.size() - first : 8;
    for (std::size_t i = 0; i < count; ++i) bits |= (values[first + i] < 0 ? 1U : 0U) << i;
    packed[byte] = static_cast<std::uint8_t>(bits);
  }
}

/// Whether value i was negative.
constexpr bool is_negative(std::span<const std::uint8_t> packed, std::size_t i) {
  return (packed[i / 8] >> (i % 8) & 1) != 0;
}

// EF-sign: signs times the mean magnitude.

/// One bit per value and one scale: restored = -s where v < 0, else s, with s = mean|v| of the whole vector.
/// A vector with NaN or infinity restores to NaN.
///
/// Leaves out: one scale per layer (compress the layers one by one).
/// Source: Karimireddy et al., "Error Feedback Fixes SignSGD and other Gradient Compression Schemes", ICML
///         2019, Algorithm 1 with the scaled sign.
class EfSign : public Coder {
 public:
  /// CUDA implementation, of device_signs.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device();

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;
};

// 1-bit SGD: signs with the mean of the negative and the mean of the other values.

/// One bit per value and two scales: restored = mean of the values that are not negative, or mean of the
/// negative ones; a mean of none is 0. A vector with NaN or infinity restores to NaN.
///
/// Leaves out: one pair of scales per column of each weight matrix, as in the original.
/// Source: Seide et al., "1-Bit Stochastic Gradient Descent and its Application to Data-Parallel Distributed
///         Training of Speech DNNs", Interspeech 2014.
class OneBit : public Coder {
 public:
  /// CUDA implementation, of device_signs.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device();

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;
};

// signSGD: signs only. The sum of the ranks' signs decides.

/// One bit per value; restored = -1 where v < 0, else 1: the sign of zero is +1, and NaN counts as positive.
/// The magnitude is the learning rate's business, so the gain is not a share of an energy here.
///
/// Source: Bernstein et al., "signSGD with Majority Vote is Communication Efficient and Fault Tolerant", ICLR
///         2019, Algorithm 1.
class SignSgd : public Coder {
 public:
  /// CUDA implementation, of device_signs.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device();

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;
};

}  // namespace kernels
