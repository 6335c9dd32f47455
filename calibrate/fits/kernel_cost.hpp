// What a gradient compressor costs on a device, over the size of the gradient and the compression ratio.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurements/kernel_time.hpp"
#include "calibrate/measurements/statistics.hpp"
#include "netmodels/kernel_cost.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

/// One compressor's cost, fitted, and how far it lies from sizes that the fit has not seen.
struct KernelCostFit {
  std::string compressor;
  netmodels::KernelCost cost;
  measurements::RelativeErrors held_out;  ///< each size judged by a fit to all others
  std::int64_t smallest = 0;              ///< measured n
  std::int64_t largest = 0;
  std::size_t points = 0;

  bool operator==(const KernelCostFit&) const = default;
};

/// Fits each compressor by itself: t = fixed + n per_value + k per_kept, k = c n, with all three at least 0,
/// by least squares of relative errors. A compressor measured at one ratio only has no per_kept.
///
/// @param times  of one device
/// @returns the fits in order of first appearance, or an Error with an empty `where` for a compressor with
///          fewer than three sizes
/// Leaves out: caches (sizes inside and outside of one are fitted by one line: see the held-out error),
/// launches of several kernels, values that are distributed otherwise.
netmodels::Result<std::vector<KernelCostFit>> fit_kernel_costs(
    std::span<const measurements::KernelTime> times);

/// The YAML text that `compression.kernel_times` of a scenario takes: provenance, then one entry a
/// compressor.
std::string print_kernel_costs(const measurements::KernelTimes& measured, std::span<const KernelCostFit> fits,
                               std::string_view measurements_file, std::string_view version);

}  // namespace calibrate::fits
