// What is sent in place of the gradient, as a scenario states it: one method, or a policy that chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/kernel_cost.hpp"
#include "netmodels/quantity.hpp"
#include "policies/compression_row.hpp"

namespace sim::scenario {

enum class Selection { staleness, variance };

/// A measured time to compress and restore the whole gradient.
struct CompressionTime {
  std::string method;
  double ratio = 1;  ///< kept / original
  netmodels::Seconds time;

  bool operator==(const CompressionTime&) const = default;
};

struct Compression {
  std::string method = "none";  ///< a row of the wire formats
  double ratio = 1;             ///< kept / original, in (0, 1]
  int index_bytes = 4;          ///< 4 or 8
  std::optional<netmodels::Seconds>
      time;  ///< to compress and restore the whole gradient; nothing: from the device
  Selection selection = Selection::staleness;
  policies::CompressionPolicyChoice policy;
  std::vector<CompressionTime> times;  ///< of methods and ratios that a policy may choose
  std::string kernel_times;  ///< file of kernel costs as found, empty: none; the next two hold its contents
  std::string kernel_device;
  std::vector<netmodels::MeasuredKernel> kernels;
  policies::RatioSchedule warm_up;
};

/// Whether what is sent may be another thing in each step.
inline bool decided_by_step(const Compression& compression) {
  return compression.policy->traits.decides || compression.warm_up.epochs > 0;
}

}  // namespace sim::scenario
