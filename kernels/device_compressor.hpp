// The interface of compressors on the device: a vector in device memory goes in, its message lies there too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/compressor.hpp"
#include "kernels/device.hpp"

namespace kernels {

// The interface of compressors on the device: a vector in device memory goes in, its message lies there too.

/// The facts of a message that are known only after it is made; in device memory.
struct DeviceTotals {
  Energy energy;
  std::int64_t count = 0;       ///< how many of `values` are sent; of a coder: all
  std::int64_t wire_bytes = 0;  ///< bytes on the network, without lengths and headers
};

/// The message of one rank. It lies in the compressor's device memory and is valid until the next call.
struct DeviceMessage {
  std::int64_t elements = 0;  ///< n, of the vector
  /// As in Message. Where the number sent depends on the values (threshold methods) these are the most there
  /// can be, and `totals->count` says how many are sent.
  std::span<const float> values;
  std::span<const Index> indices;  ///< one for each of `values`, or, with codes or factors, all of them sent
  std::span<const std::uint8_t> codes;
  const DeviceTotals* totals = nullptr;

  /// Whether `totals->count` counts the indices, too; otherwise all of them are sent.
  [[nodiscard]] bool counts_indices() const { return indices.size() == values.size(); }
};

/// totals = the sums of the energies that blocks or tiles have found, always added in the same order, and the
/// sizes that the host knows.
void sum_energies(std::span<const Energy> parts, const DeviceTotals& sizes, DeviceTotals* totals,
                  StreamHandle stream);

/// The message brought to the host.
struct HostMessage {
  std::int64_t elements = 0;
  std::vector<float> values;
  std::vector<Index> indices;
  std::vector<std::uint8_t> codes;
  std::int64_t wire_bytes = 0;
  Energy energy;

  /// The same for the CPU reference, which can restore it; holds as long as this does.
  [[nodiscard]] Message view() const { return {elements, values, indices, codes, wire_bytes, energy}; }
};

/// Waits for the stream.
/// @throws DeviceError
HostMessage downloaded(const DeviceMessage& message, StreamHandle stream);

/// The CUDA implementation of Compressor: equal settings, steps and messages, bit for bit where the method's
/// header does not say otherwise; energies are sums in another order, equal to 10^-12 of their size.
///
/// All work goes into the stream given, and no call waits for the device but one whose vector is longer than
/// any before (its workspace grows). Vectors need no alignment; those at multiples of 16 bytes are read
/// faster.
/// Every call throws DeviceError where the device refuses it.
class DeviceCompressor {
 public:
  virtual ~DeviceCompressor() = default;

  virtual DeviceMessage compress(std::span<const float> vector, StreamHandle stream) = 0;

  /// One step of error feedback, as Compressor::compress_fed.
  virtual DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                                     StreamHandle stream) {
    return compress_in_two_passes(gradient, residual, stream);
  }

  /// sum += what the message restores to.
  virtual void accumulate(const DeviceMessage& message, std::span<float> sum, StreamHandle stream) const = 0;

  /// vector -= what the message restores to; 0 where the difference is not finite.
  virtual void subtract(const DeviceMessage& message, std::span<float> vector, StreamHandle stream) const = 0;

  /// Whether messages are pairs of a value and an index, nothing else.
  [[nodiscard]] virtual bool sparse() const { return false; }

  /// Whether the number of values sent depends only on n, so that the host knows it: `values` are all sent.
  [[nodiscard]] virtual bool count_is_fixed() const { return true; }

  /// Calls that had a list of candidates but sent from the vector, see DeviceSelection; 0 where nothing is
  /// selected by magnitude. Waits for the stream.
  [[nodiscard]] virtual std::int64_t rescans(StreamHandle) const { return 0; }

  /// The vector that the receiver has, zeros where nothing was sent.
  void restore(const DeviceMessage& message, std::span<float> vector, StreamHandle stream) const;

  /// Makes the next call draw the random numbers of this step.
  void set_step(std::uint64_t step) { step_ = step; }

 protected:
  DeviceCompressor() = default;
  DeviceCompressor(const DeviceCompressor&) = delete;
  DeviceCompressor& operator=(const DeviceCompressor&) = delete;

  /// Defined with the CUDA implementations; a class without out-of-line virtual functions has its type
  /// information in programs that do not link them, too.
  DeviceMessage compress_in_two_passes(std::span<const float> gradient, std::span<float> residual,
                                       StreamHandle stream);

  /// The step of this call.
  std::uint64_t next_step() { return step_++; }

 private:
  std::uint64_t step_ = 0;
};

// What the device's compressors that send every value in fewer bits have in common.

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

// What the device's compressors that send some values unchanged, with their indices, have in common.

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
