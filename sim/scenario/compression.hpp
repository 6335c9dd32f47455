// What is sent in place of the gradient, as a scenario states it: one method, or a policy that chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/method.hpp"
#include "netmodels/kernel_cost.hpp"
#include "netmodels/quantity.hpp"
#include "policies/compression_row.hpp"
#include "sim/inputs/kernel_cost_keys.hpp"

namespace sim::scenario {

enum class Selection { staleness, variance };

/// Coefficients that `dct_topk` sends of a tile smaller than others: as many, or in proportion to its size.
enum class TileTopK : std::uint8_t { fixed, proportional };

/// A measured time to compress and restore the whole gradient.
struct CompressionTime {
  std::string method;
  double ratio = 1;  ///< kept / original
  netmodels::Seconds time;

  bool operator==(const CompressionTime&) const = default;
};

/// How much is known about the time that compressing takes.
enum class CostLevel : std::uint8_t {
  stated,     ///< in the scenario
  kernels,    ///< measured by `calibrate probe kernels`
  framework,  ///< published of a framework's implementation
  floor,      ///< memory traffic: nothing can be faster
  unknown,
};

/// A level that a scenario chooses; automatic: whatever is known, and a verdict that holds for all of it.
enum class CostChoice : std::uint8_t { automatic, floor, kernels, framework };

struct Compression {
  std::string method = "none";  ///< a row of the wire formats
  double ratio = 1;             ///< kept / original, in (0, 1]
  std::optional<int> rank;      ///< of powersgd, in place of the ratio, which follows from it
  int index_bytes = 4;          ///< 4 or 8
  std::optional<netmodels::Seconds>
      time;  ///< to compress and restore the whole gradient; nothing: from the device
  Selection selection = Selection::staleness;
  TileTopK topk_per_tile = TileTopK::fixed;
  policies::CompressionPolicyChoice policy;
  std::vector<CompressionTime> times;  ///< of methods and ratios that a policy may choose
  std::string kernel_times;  ///< file of kernel costs as found, empty: none; `kernels` holds its contents
  std::optional<inputs::MeasuredCostsKeys> measured;  ///< of `kernel_times: measure`; `kernels` holds it, too
  netmodels::KernelCosts kernels;
  CostChoice cost = CostChoice::automatic;
  std::string stack = "pytorch";     ///< a file of a framework's costs; `framework` holds its contents
  netmodels::KernelCosts framework;  ///< without rows where nothing was read
  bool measured_on_device = false;   ///< whether `framework` was measured on the workload's own device
  std::string stack_origin;          ///< why `stack` is not the usual default; empty: it is, or is stated
  policies::RatioSchedule warm_up;
  std::optional<double> drawn;  ///< which times of their ranges compressing takes, in (0, 1); nothing: the
                                ///< assumed ones

  /// The stated method, which a check has found in the table, and its ratio.
  [[nodiscard]] policies::CompressionChoice stated() const { return {method, ratio}; }
  /// Whether the stated method sends something else than the gradient as it is.
  [[nodiscard]] bool compresses() const { return method != kernels::Method().name(); }
};

/// The word of `kernel_times` that asks for a measurement before the run.
inline constexpr std::string_view measure_word = "measure";

/// Whether times are still to be measured.
inline bool to_be_measured(const Compression& compression) {
  return compression.kernel_times == measure_word && !compression.measured;
}

/// Whether what is sent may be another thing in each step.
inline bool decided_by_step(const Compression& compression) {
  return compression.policy->traits.decides || compression.warm_up.any();
}

}  // namespace sim::scenario
