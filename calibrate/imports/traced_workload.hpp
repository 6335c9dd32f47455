// A workload as a trace shows it, before it is written as files of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"

namespace calibrate::imports {

/// One layer, with what one step of one rank spends on it.
struct TracedLayer {
  std::string name;
  std::string kind;
  std::int64_t parameters =
      0;  ///< 0, or those of a whole bucket, at the layer whose backward pass completes it
  netmodels::Seconds forward;
  netmodels::Seconds backward;
};

/// What the person who imports knows and the trace may not say.
struct TraceHints {
  std::optional<int> batch;  ///< samples per rank and step
};

/// One step of one rank.
struct TracedWorkload {
  std::string device;
  int ranks = 1;
  std::optional<int> batch;           ///< nothing: neither the trace nor the person says
  std::vector<TracedLayer> layers;    ///< in forward order
  std::vector<std::int64_t> buckets;  ///< values of each gradient all-reduce, in order; empty: none was seen
  netmodels::Seconds host_overhead;   ///< before the forward pass and after the optimizer
  netmodels::Seconds optimizer;
  std::string source;                ///< the trace, one line
  std::vector<std::string> facts;    ///< provenance, a sentence each
  std::vector<std::string> skipped;  ///< what was left out, a sentence each

  /// Host overhead, both passes and the optimizer: the step without the exchange that nothing hides.
  [[nodiscard]] netmodels::Seconds step() const;
};

/// `1 event`, `3 events`.
std::string counted(std::int64_t count, const std::string& what);

/// `2049000, 7875584`.
std::string listed(const std::vector<std::int64_t>& numbers);

}  // namespace calibrate::imports
