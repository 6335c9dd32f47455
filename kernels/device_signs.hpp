// The sign methods on the device: signSGD with majority vote, EF-sign and 1-bit.
#pragma once

#include <span>

#include "kernels/device_coder.hpp"
#include "kernels/device_statistics.hpp"

namespace kernels {

/// What the three have in common: one pass packs the signs and measures, one thread then writes the scales.
class DeviceSignCoder : public DeviceCoder {
 public:
  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) final;
  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) final;

 protected:
  enum class Method { sign_sgd, ef_sign, one_bit };

  explicit DeviceSignCoder(Method method) : method_(method) {}

  void apply(const DeviceMessage& message, std::span<float> vector, Use use, StreamHandle stream) const final;

 private:
  std::uint32_t* packed(std::size_t size);
  DeviceMessage finish(std::size_t size, const VectorParts* found, StreamHandle stream);

  Method method_;
  DeviceStatistics statistics_;
};

/// The CUDA twin of SignSgd, bit for bit.
class DeviceSignSgd : public DeviceSignCoder {
 public:
  DeviceSignSgd() : DeviceSignCoder(Method::sign_sgd) {}

  /// As SignSgd::majority: +1 where at least half of the ranks sent +, else -1.
  /// @param messages  of all ranks, at least one and at most 2^24, of equal length, on this device
  /// @param decision  n values of +1 or -1
  void majority(std::span<const DeviceMessage> messages, std::span<float> decision,
                StreamHandle stream) const;
};

/// The CUDA twin of EfSign: equal signs; the mean magnitude is a sum in another order, so the scale may
/// differ in its last place.
class DeviceEfSign : public DeviceSignCoder {
 public:
  DeviceEfSign() : DeviceSignCoder(Method::ef_sign) {}
};

/// The CUDA twin of OneBit: equal signs; the two means are sums in another order. Where values cancel nothing
/// (each group has one sign) they differ by their last place at most.
class DeviceOneBit : public DeviceSignCoder {
 public:
  DeviceOneBit() : DeviceSignCoder(Method::one_bit) {}
};

}  // namespace kernels
