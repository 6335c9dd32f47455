// The measured cost of a gradient compressor on a device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"

namespace netmodels {

/// t = fixed + n per_value + k per_kept, with n values of which k = c n are kept.
struct KernelCost {
  Seconds fixed;
  Seconds per_value;
  Seconds per_kept;

  [[nodiscard]] Seconds time(double values, double ratio) const {
    return fixed + values * (per_value + ratio * per_kept);
  }
  bool operator==(const KernelCost&) const = default;
};

/// Cost of restoring one message of a method at one ratio: t = fixed + n per_value.
struct RestoringCost {
  double ratio = 1;  ///< 1 where the method knows none
  Seconds fixed;
  Seconds per_value;

  [[nodiscard]] Seconds time(double values) const { return fixed + values * per_value; }
  bool operator==(const RestoringCost&) const = default;
};

/// Messages that are restored where costs of restoring are judged, as by one of this number of workers.
inline constexpr int judged_messages = 16;

/// A cost as it was fitted to measurements of some sizes; a method may have several, of sizes that lie apart:
/// a gradient inside a cache costs less a value.
struct MeasuredKernel {
  std::string method;         ///< compression method, as in the table of wire formats
  KernelCost cost;            ///< cost of compressing, and of restoring one message
  double p90_error = 0;       ///< relative, of sizes that were held out of the fit
  std::int64_t smallest = 1;  ///< measured n
  std::int64_t largest = 1;
  double smallest_ratio = 0;  ///< measured c, where known
  double largest_ratio = 1;
  /// Cost of restoring each further message, which an all-gather brings from every other worker, at rising
  /// ratios: the fewer values are kept, the more each one costs, as it is alone in its line of the cache.
  /// Empty where it was not measured.
  std::vector<RestoringCost> restoring = {};
  double restoring_p90_error = 0;  ///< relative, of compressing and restoring `judged_messages`; 0: unknown
  Seconds per_tensor = {};         ///< launches for each parameter tensor, whatever its size
  double low = 1;                  ///< the smallest time that was published, as a multiple of `cost`
  double high = 1;                 ///< the largest
  std::string source = {};         ///< source of published times

  bool operator==(const MeasuredKernel&) const = default;
};

/// Costs of compressors on one device, from one file.
struct KernelCosts {
  std::string device;     ///< measured device
  std::string stack;      ///< the framework that the times are of; empty: none
  bool measured = false;  ///< whether measured in that framework on this device; else published for it
  std::optional<Bandwidth> memory_bandwidth;  ///< peak of the device, where times are to be scaled by it
  std::vector<MeasuredKernel> rows;

  bool operator==(const KernelCosts&) const = default;
};

/// The row of a method whose sizes n lies among or closest to, by their ratio; null where the method has
/// none.
const MeasuredKernel* find_measured_kernel(std::span<const MeasuredKernel> rows, std::string_view method,
                                           std::int64_t values);

/// Restoring time at any ratio: between two that were measured, and beyond them, on the straight line through
/// the nearest two times over the logarithms of ratio and time; a single one holds for all.
/// @param costs  at rising ratios, at least one
Seconds restoring_time(std::span<const RestoringCost> costs, double values, double ratio);

}  // namespace netmodels
