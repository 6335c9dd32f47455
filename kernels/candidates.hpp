// The values that may be sent: gathered above a threshold in one pass, then thinned to exactly the k largest.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/magnitude.hpp"
#include "kernels/workspace.hpp"

namespace kernels {

/// An index into a gradient: four bytes, as on the wire, for n up to 2^32. Counts are 64 bits wide
/// everywhere.
using Index = std::uint32_t;
constexpr std::int64_t most_elements = std::int64_t{1} << 32;

/// The k-th largest of some magnitudes, counted from 1: three rounds of a radix histogram (11, 11 and 9
/// bits), so linear in their number for any values.
/// @param k  in [1, sizes.size()]
Magnitude kth_largest(std::span<const Magnitude> sizes, std::int64_t k);

/// Indices of a gradient with their magnitudes, in ascending order of index.
class Candidates {
 public:
  /// All with |v| >= threshold.
  /// @returns the energy, sum of v^2 over all values, found in the same pass
  double collect(std::span<const float> values, Magnitude threshold);

  /// The same of gradient + residual, which is left in `residual`: one pass reads both and writes one.
  double collect_fed(std::span<const float> gradient, std::span<float> residual, Magnitude threshold);

  /// Drops those below a threshold.
  void keep_at_least(Magnitude threshold);

  /// Leaves the k largest; among equals the lowest indices stay.
  /// @param k  in [0, count()]
  void keep_largest(std::int64_t k);

  /// Leaves those for which `keep(magnitude)` holds, asked once for each in ascending order of index.
  template <class Keep>
  void keep_if(Keep keep) {
    Index* indices = indices_.data();
    Magnitude* sizes = sizes_.data();
    std::int64_t left = 0;
    for (std::int64_t i = 0; i < count_; ++i) {  // no branch on `keep`: it could not be predicted
      const Magnitude size = sizes[i];
      indices[left] = indices[i];
      sizes[left] = size;
      left += keep(size) ? 1 : 0;
    }
    count_ = left;
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::span<const Index> indices() const { return indices_.first(count_); }
  [[nodiscard]] std::span<const Magnitude> sizes() const { return sizes_.first(count_); }

 private:
  template <bool fed>
  double scan(std::span<const float> gradient, float* residual, Magnitude threshold);

  Workspace<Index> indices_;
  Workspace<Magnitude> sizes_;
  std::int64_t count_ = 0;
};

/// A threshold that the k largest pass and little else, from a sample of about 1/64 of the values: it aims at
/// as many more than k as four standard deviations of the sample's count. Only speed depends on its luck: who
/// uses it must look whether at least k passed.
///
/// @param residual  empty, or what is to be added to each value
/// @returns 0, which all pass, where a sample does not pay
class SampledThreshold {
 public:
  Magnitude find(std::span<const float> values, std::span<const float> residual, std::int64_t k);

 private:
  Workspace<Magnitude> sample_;
};

}  // namespace kernels
