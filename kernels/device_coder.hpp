// What the device's compressors that send every value in fewer bits have in common.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/device_compressor.hpp"

namespace kernels {

/// The CUDA implementation of Coder: codes for all values, and scales.
class DeviceCoder : public DeviceCompressor {
 public:
  /// sum += decoded.
  void accumulate(const DeviceMessage& message, std::span<float> sum, StreamHandle stream) const final {
    apply(message, sum, Use::add, stream);
  }

  /// vector -= decoded, 0 where the difference is not finite.
  void subtract(const DeviceMessage& message, std::span<float> vector, StreamHandle stream) const final {
    apply(message, vector, Use::subtract, stream);
  }

 protected:
  enum class Use { add, subtract };

  /// Decodes and uses each value in one pass: `decode_each` of device_coder.cuh with the method's decoder.
  virtual void apply(const DeviceMessage& message, std::span<float> vector, Use use,
                     StreamHandle stream) const = 0;

  /// Room for one vector's codes; whole words may be written.
  std::uint8_t* codes(std::int64_t bytes) { return codes_.reserve((bytes + 3) / 4 * 4); }
  float* scales(std::int64_t count) { return scales_.reserve(count); }
  DeviceTotals* totals() { return totals_.reserve(1); }
  /// Room for the energies that each of `count` blocks or warps finds.
  Energy* parts(std::int64_t count) { return parts_.reserve(count); }

  /// The message of `elements` values, its sizes and the sum of the first `part_count` energies in the
  /// totals.
  DeviceMessage summed(std::int64_t elements, std::int64_t scale_count, std::int64_t code_bytes,
                       std::int64_t part_count, StreamHandle stream);
  /// The same where a kernel has written the totals.
  DeviceMessage coded(std::int64_t elements, std::int64_t scale_count, std::int64_t code_bytes) const;

  static constexpr std::int64_t wire_bytes(std::int64_t scale_count, std::int64_t code_bytes) {
    return scale_count * static_cast<std::int64_t>(sizeof(float)) + code_bytes;
  }

 private:
  DeviceWorkspace<std::uint8_t> codes_;
  DeviceWorkspace<float> scales_;
  DeviceWorkspace<Energy> parts_;
  DeviceWorkspace<DeviceTotals> totals_;
};

}  // namespace kernels
