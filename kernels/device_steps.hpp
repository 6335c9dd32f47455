// CUDA implementations with steps beyond compressing: levels, AR-Topk, PowerSGD.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/ar_topk.hpp"
#include "kernels/device_compressor.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/multi_level.hpp"
#include "kernels/power_sgd.hpp"

namespace kernels {

// Multi-level compression on the device: the message of one compressor is compressed again by another.

/// The CUDA implementation of MultiLevel, bit for bit. The second level is launched with as many values as
/// the host knows the first to send, so it never waits for the device in between; hence the first must
/// send a number that depends only on n.
class DeviceMultiLevel : public DeviceCompressor {
 public:
  /// @param first   sends pairs (`sparse()`), and a number of them that n decides (`count_is_fixed()`): not a
  ///                method whose threshold decides it
  /// @param second  any; works on the first's values in ascending order of their indices
  DeviceMultiLevel(std::unique_ptr<DeviceCompressor> first, std::unique_ptr<DeviceCompressor> second);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;
  void accumulate(const DeviceMessage& message, std::span<float> sum, StreamHandle stream) const override;
  void subtract(const DeviceMessage& message, std::span<float> vector, StreamHandle stream) const override;
  [[nodiscard]] bool sparse() const override { return second_->sparse(); }
  [[nodiscard]] bool count_is_fixed() const override { return second_->count_is_fixed(); }

 private:
  [[nodiscard]] std::span<const float> decoded(const DeviceMessage& message, StreamHandle stream) const;

  std::unique_ptr<DeviceCompressor> first_;
  std::unique_ptr<DeviceCompressor> second_;
  DeviceWorkspace<Index> indices_;
  DeviceWorkspace<DeviceTotals> totals_;
  mutable DeviceWorkspace<float> decoded_;  // only inside a call
};

// AR-Topk on the device: top-k on the broadcaster, a gather at its indices on every other rank.

/// The CUDA implementation of ArTopK, bit for bit: `compress` and `compress_fed` are the broadcaster's, exact
/// top-k.
class DeviceArTopK : public DeviceSparsifier {
 public:
  explicit DeviceArTopK(const ArTopK::Settings& settings) : top_k_(TopK::make_on_device(settings)) {}

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override {
    return top_k_->compress(vector, stream);
  }
  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override {
    return top_k_->compress_fed(gradient, residual, stream);
  }

  /// As any other rank: the values at the given indices.
  /// @param indices  the broadcaster's, in this device's memory; must outlive the message
  DeviceMessage compress_at(std::span<const float> vector, std::span<const Index> indices,
                            StreamHandle stream);

  [[nodiscard]] std::int64_t rescans(StreamHandle stream) const override { return top_k_->rescans(stream); }

 private:
  DeviceCompressorPtr top_k_;
  DeviceStatistics statistics_;
  DeviceWorkspace<float> gathered_;
  DeviceWorkspace<double> parts_;
  DeviceWorkspace<DeviceTotals> totals_;
};

// PowerSGD on the device: two thin products and an orthonormalisation.

/// The CUDA implementation of PowerSgd. Sums are in double precision, in an order that the shape and the rank
/// alone decide, but not the CPU's: what a message restores to agrees to 10^-5 of its largest value (columns
/// of P that rounding alone made independent set apart). What is restored from one and the same message is
/// equal bit for bit.
///
/// Each product reads the matrix once for up to four columns at a time, over many blocks; the first sums the
/// energy, too, so a step of rank 4 or less reads the vector twice and makes seven launches. One block for
/// each column prepares Q and one block orthonormalises P: columns of length ~ sqrt(n) are short against the
/// matrix; of a matrix of few columns P's are not, and that one block then takes most of the time.
///
/// Memory: 4 rank (rows + columns) bytes for the factors, and for sums not yet added 32 (columns x stretches
/// of rows, or rows x stretches of columns), with as many stretches as give about a thousand blocks
/// work, but no shorter than 32 rows or 1024 columns.
class DevicePowerSgd : public DeviceCoder {
 public:
  explicit DevicePowerSgd(const PowerSgd::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;

  /// P = M Q. @returns P in device memory, to be reduced in place
  std::span<float> project(std::span<const float> vector, StreamHandle stream);
  /// P orthonormalised, then Q = M^T P. @returns Q, to be reduced in place
  /// @param vector  the one `project` has seen
  std::span<float> back_project(std::span<const float> vector, StreamHandle stream);
  /// The message of P and Q as they are now. @param vector  the one both steps have seen, not read again
  DeviceMessage message(std::span<const float> vector, StreamHandle stream);

 protected:
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override;

 private:
  [[nodiscard]] Shape shape_of(std::int64_t elements) const;
  void start(const Shape& shape, StreamHandle stream);
  void multiply_by(std::span<const float> vector, std::int64_t first, StreamHandle stream);
  void multiply_transposed_by(std::span<const float> vector, std::int64_t first, StreamHandle stream);

  PowerSgd::Settings settings_;
  Shape shape_;                // shape of the vector seen last
  std::int64_t elements_ = 0;  // likewise
  std::int64_t rank_ = 0;      // cut to it
  std::int64_t energy_parts_ = 0;
  std::span<float> p_, q_;  // views into the scales
  DeviceWorkspace<double> sums_;
};

}  // namespace kernels
