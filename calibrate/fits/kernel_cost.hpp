// The cost of a gradient compressor on a device over gradient size and compression ratio.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurements/kernel_time.hpp"
#include "calibrate/measurements/statistics.hpp"
#include "netmodels/kernel_cost.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

/// A cost, and its error on held-out sizes.
struct JudgedCost {
  netmodels::KernelCost cost;
  measurements::RelativeErrors held_out;  ///< each size judged by a fit to all others

  bool operator==(const JudgedCost&) const = default;
};

/// Costs of restoring at rising ratios, likewise.
struct JudgedRestoring {
  std::vector<netmodels::RestoringCost> costs;
  /// Errors of compressing and restoring `netmodels::judged_messages`, in all.
  measurements::RelativeErrors held_out;

  bool operator==(const JudgedRestoring&) const = default;
};

/// One compressor's cost at sizes within a cache or beyond it, fitted.
struct KernelCostFit {
  std::string compressor;
  JudgedCost step;                           ///< compressing, and restoring one message
  std::optional<JudgedRestoring> restoring;  ///< a single message; where all its times have it
  std::int64_t smallest = 0;                 ///< measured n
  std::int64_t largest = 0;
  double smallest_ratio = 1;  ///< measured c; 1 where the method knows no ratio
  double largest_ratio = 1;
  std::size_t points = 0;

  bool operator==(const KernelCostFit&) const = default;
};

/// Fits each compressor by itself: t = fixed + n per_value + k per_kept, k = c n, with all three at least 0,
/// by least squares of relative errors. A compressor measured at one ratio only has no per_kept. Restoring is
/// fitted ratio by ratio, t = fixed + n per_value, by least squares of errors relative to all that
/// compressing and restoring `netmodels::judged_messages` takes: minor terms may be far off.
///
/// @param times  of one device
/// @param cache  gradients of up to this size, 4 n, are fitted apart from longer ones: those of a method
///               become two rows, as far as there are times of both; 0: one row
/// @returns the fits in order of first appearance, the shorter sizes first, or an Error with an empty `where`
///          for a compressor with fewer than three sizes in a row
/// Leaves out: the separate cost of a kernel launch (it is in `fixed`, as the launches of a method do
/// not depend on n); values that are distributed otherwise.
netmodels::Result<std::vector<KernelCostFit>> fit_kernel_costs(
    std::span<const measurements::KernelTime> times, netmodels::Bytes cache = {0});

/// One entry of `kernels`, as YAML: `{method: topk, ...}`.
std::string print_kernel_cost(const KernelCostFit& fit);

/// The YAML text that `compression.kernel_times` of a scenario takes: provenance, then one entry a
/// fit: a compressor may have two, of sizes within a cache and beyond it.
std::string print_kernel_costs(const measurements::KernelTimes& measured, std::span<const KernelCostFit> fits,
                               std::string_view measurements_file, std::string_view version);

}  // namespace calibrate::fits
