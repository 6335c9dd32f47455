// PowerSGD: the gradient as a matrix of low rank, found by one warm-started step of power iteration.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"
#include "kernels/matrix.hpp"

namespace kernels {

/// PowerSGD. With M the vector as a matrix (rows x columns) and Q from the step before (random at first):
///
///   P = M Q,  [all-reduce P,]  P = orthonormalise(P),  Q = M^T P,  [all-reduce Q,]  restored = P Q^T.
///
/// The message's values are P (each of the `rank` columns in turn), then Q likewise: 4 rank (rows + columns)
/// bytes. Ranks that sum call `project`, reduce P to its mean, `back_project`, reduce Q to its mean, then
/// `message`; `compress` does the three for one rank. Meant for error feedback. The rank is cut to min(rows,
/// columns).
///
/// A column of Q that is zero or not finite, as after a gradient of zeros or NaN, is drawn anew; in published
/// code a zero stays zero for ever.
/// Leaves out: sending vectors and small matrices uncompressed, and matrices per layer (one compressor each).
/// A CUDA implementation adds in another order and agrees to 10^-5 of the largest value.
/// Source: Vogels, Karimireddy & Jaggi, "PowerSGD: Practical Low-Rank Gradient Compression for Distributed
///         Optimization", NeurIPS 2019, Algorithm 1.
class PowerSgd : public Coder {
 public:
  struct Settings {
    int rank = 1;            ///< columns of P and Q, at least 1
    Shape shape = {};        ///< rows x columns = n of every vector; 0 x 0: as square as possible
    std::uint64_t seed = 0;  ///< seed of the first Q; the same on all ranks
  };

  explicit PowerSgd(const Settings& settings);

  /// CUDA implementation, of device_power_sgd.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;

  /// Q of the step before, `rank` columns of a vector of `elements` elements; for one that goes on elsewhere.
  void begin_at(std::span<const float> q, std::int64_t elements);

  /// P = M Q. @returns P, to be reduced in place
  std::span<float> project(std::span<const float> vector);
  /// P orthonormalised, then Q = M^T P. @returns Q, to be reduced in place
  std::span<float> back_project(std::span<const float> vector);
  /// The message of P and Q as they are now. @param vector the one both steps have seen
  Message message(std::span<const float> vector);

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;

 private:
  [[nodiscard]] Shape shape_of(std::int64_t elements) const;
  [[nodiscard]] MatrixView matrix(std::span<const float> vector) const;
  void start(const Shape& shape);
  void prepare_q();
  [[nodiscard]] std::span<float> column_of_p(std::int64_t number);
  [[nodiscard]] std::span<float> column_of_q(std::int64_t number);
  [[nodiscard]] double energy_beyond(std::int64_t elements);

  Settings settings_;
  Shape shape_;             // shape of the vector seen last
  std::int64_t rank_ = 0;   // cut to it
  std::span<float> p_, q_;  // views into the scales
  Workspace<double> sums_;
};

}  // namespace kernels
