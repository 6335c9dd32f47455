// The mean of gradients by PowerSGD: matrix by matrix, vectors as they are.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/compressor.hpp"
#include "kernels/matrix.hpp"

namespace learning::learners {

/// The factors Q of each matrix, kept from step to step; a value: a copy continues independently.
///
/// P = M Q and Q = M^T P are linear in M, so their means over the workers are those of the mean gradient,
/// which is what is compressed here, once. All matrices have one rank: the largest whose factors hold no more
/// than the ratio of the matrices' values, at least 1; vectors are sent as they are. As in
/// `stages::two_factors` the ratio is that of the matrices. Leaves out: rounding of each worker's factors.
/// Source: Vogels, Karimireddy & Jaggi, "PowerSGD: Practical Low-Rank Gradient Compression for Distributed
///         Optimization", NeurIPS 2019, Algorithm 1 and section 3.
class LowRankMean {
 public:
  /// @param matrices  stored one after the other, row by row; a single row or column is a vector
  LowRankMean(std::vector<kernels::Shape> matrices, std::uint64_t seed)
      : matrices_(std::move(matrices)), seed_(seed) {}

  /// One matrix, as square as possible, and a vector of what is left of that number of values.
  static std::vector<kernels::Shape> square_of(std::int64_t values);

  /// The rank at this ratio.
  [[nodiscard]] int rank(double ratio) const;

  /// Replaces the mean by what the factors restore.
  /// @param ratio  in (0, 1]; another one than before begins with new factors
  /// @param step   by which the first Q is drawn
  /// @returns the energy of what is restored, and of what was given
  kernels::Energy approximate(double ratio, std::int64_t step, std::span<float> mean);

 private:
  std::vector<kernels::Shape> matrices_;
  std::uint64_t seed_;
  double ratio_ = 0;                         ///< ratio of `factors_`
  std::vector<std::vector<float>> factors_;  ///< Q per matrix; empty: none yet
};

}  // namespace learning::learners
