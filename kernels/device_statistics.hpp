// Statistics from one pass over a vector in device memory: energy, sums by sign, largest magnitude, signs.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/device.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {

/// Sums are in double precision, tile by tile of 8192 values and then over the tiles, in an order that n
/// alone decides: the same bits on every device and in every run, but not those of the CPU's Statistics.
struct VectorParts {
  double energy;           ///< sum of v^2, NaN and infinity taking part
  double finite_energy;    ///< energy of the finite values only
  double negative_sum;     ///< sum of the finite values below zero
  double other_sum;        ///< sum of the other finite values
  std::int64_t negatives;  ///< how many are below zero, infinity included
  std::int64_t finite;     ///< how many are finite
  Magnitude largest;       ///< largest finite |v|

  /// Mean |v| of the finite values; 0 of none.
  [[nodiscard]] constexpr double mean() const {
    return finite == 0 ? 0 : (other_sum - negative_sum) / static_cast<double>(finite);
  }
};

/// Measures vectors; owns the memory for it.
class DeviceStatistics {
 public:
  /// @returns where the device leaves the result; holds until the next call
  const VectorParts* measure(std::span<const float> vector, StreamHandle stream) {
    return measure_all(vector, nullptr, nullptr, stream);
  }

  /// The same pass also packs the signs, 32 to a word, the first in the lowest bit: bit i of a value that is
  /// below zero is set.
  /// @param signs  room for ceil(n / 32) words
  const VectorParts* measure(std::span<const float> vector, std::uint32_t* signs, StreamHandle stream) {
    return measure_all(vector, nullptr, signs, stream);
  }

  /// The same of gradient + residual, which is left in `residual`: one pass reads both and writes one.
  const VectorParts* measure_fed(std::span<const float> gradient, std::span<float> residual,
                                 std::uint32_t* signs, StreamHandle stream) {
    return measure_all(gradient, residual.data(), signs, stream);
  }

  /// The root of the mean of (v - mean)^2 after `measure` of the same vector, for vectors of finite values; 0
  /// of none.
  const double* deviation(std::span<const float> vector, StreamHandle stream);

 private:
  const VectorParts* measure_all(std::span<const float> gradient, float* residual, std::uint32_t* signs,
                                 StreamHandle stream);

  DeviceWorkspace<VectorParts> tiles_;
  DeviceWorkspace<VectorParts> whole_;
  DeviceWorkspace<double> squares_;
};

}  // namespace kernels
