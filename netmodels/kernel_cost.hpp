// What a gradient compressor costs on a device that it was measured on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "netmodels/quantity.hpp"

namespace netmodels {

/// t = fixed + n per_value + k per_kept, with n values of which k = c n are kept; of compressing and of
/// restoring one message. Leaves out: that each receiver of an all-gather restores N of them.
struct KernelCost {
  Seconds fixed;
  Seconds per_value;
  Seconds per_kept;

  [[nodiscard]] Seconds time(double values, double ratio) const {
    return fixed + values * (per_value + ratio * per_kept);
  }
  bool operator==(const KernelCost&) const = default;
};

/// A cost as it was fitted to measurements of some sizes; a method may have several, of sizes that lie apart:
/// a gradient inside a cache costs less a value.
struct MeasuredKernel {
  std::string method;  ///< of compression, as in the table of wire formats
  KernelCost cost;
  double p90_error = 0;       ///< relative, of sizes that were held out of the fit
  std::int64_t smallest = 1;  ///< measured n
  std::int64_t largest = 1;
  double smallest_ratio = 0;  ///< measured c, as far as it is told
  double largest_ratio = 1;

  bool operator==(const MeasuredKernel&) const = default;
};

/// The row of a method whose sizes n lies among or closest to, by their ratio; null where the method has
/// none.
const MeasuredKernel* find_measured_kernel(std::span<const MeasuredKernel> rows, std::string_view method,
                                           std::int64_t values);

}  // namespace netmodels
