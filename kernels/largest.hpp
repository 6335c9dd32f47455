// The k largest of a vector, exactly and fast: sample, scan, select.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/candidates.hpp"

namespace kernels {

/// Finds the first k indices of the order (|v| descending, index ascending).
///
/// A sampled threshold thins the values in the one pass that also adds the residual and sums the energy; a
/// radix selection then takes the k largest of the few that are left. Where the sample was unlucky and fewer
/// than k passed, all are looked at once more; `rescans` counts these.
class Largest {
 public:
  /// @param k  in [0, vector.size()]
  /// @returns the vector's energy; the indices are in `indices` until the next call
  double select(std::span<const float> vector, std::int64_t k);

  /// The same of gradient + residual, which is left in `residual`.
  double select_fed(std::span<const float> gradient, std::span<float> residual, std::int64_t k);

  /// Ascending.
  [[nodiscard]] std::span<const Index> indices() const { return candidates_.indices(); }

  /// Calls whose sampled threshold was too high; of random values fewer than 1 %.
  [[nodiscard]] std::int64_t rescans() const { return rescans_; }

 private:
  void finish(std::span<const float> vector, std::int64_t k);

  SampledThreshold threshold_;
  Candidates candidates_;
  std::int64_t rescans_ = 0;
};

}  // namespace kernels
