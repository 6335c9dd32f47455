// PowerSGD on the device: two thin products and an orthonormalisation.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/device_coder.hpp"
#include "kernels/power_sgd.hpp"

namespace kernels {

/// The CUDA implementation of PowerSgd. Sums are in double precision, in an order that the shape and the rank
/// alone decide, but not the CPU's: what a message restores to agrees to 10^-5 of its largest value (columns
/// of P that rounding alone made independent set apart). What is restored from one and the same message is
/// equal bit for bit.
///
/// Each product reads the matrix once for up to four columns at a time, over many blocks; the first sums the
/// energy, too, so a step of rank 4 or less reads the vector twice and makes seven launches. One block for
/// each column prepares Q and one block orthonormalises P: columns of length ~ sqrt(n) are short beside the
/// matrix; of a matrix of few columns P's are not, and that one block then takes most of the time.
///
/// Memory: 4 rank (rows + columns) bytes for the factors, and for sums not yet added 32 (columns x stretches
/// of rows, or rows x stretches of columns), where stretches are so many that about a thousand blocks have
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
  Shape shape_;                // of the vector seen last
  std::int64_t elements_ = 0;  // likewise
  std::int64_t rank_ = 0;      // cut to it
  std::int64_t energy_parts_ = 0;
  std::span<float> p_, q_;  // in the scales
  DeviceWorkspace<double> sums_;
};

}  // namespace kernels
