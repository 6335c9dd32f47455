// signSGD: signs only, and the majority of the ranks decides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/coder.hpp"

namespace kernels {

/// One bit per value; restored = -1 where v < 0, else 1: the sign of zero is +1, and NaN counts as positive.
/// The magnitude is the learning rate's business, so the gain is no share of an energy here.
///
/// Source: Bernstein et al., "signSGD with Majority Vote is Communication Efficient and Fault Tolerant", ICLR
///         2019, Algorithm 1.
class SignSgd : public Coder {
 public:
  /// Its CUDA implementation, of device_signs.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device();

  Message compress(std::span<const float> vector) override;

  /// Restores to +1 where at least half of the ranks sent +, else to -1: a tie counts as +1, as zero does.
  /// The order of the messages does not matter.
  /// @param messages  of all ranks, at least one, of equal length
  /// @param decision  n values of +1 or -1
  static void majority(std::span<const Message> messages, std::span<float> decision);

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;
};

}  // namespace kernels
