// Every key of a file of kernel costs, as `calibrate fit kernels` writes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "sim/scenario/field.hpp"

namespace sim::scenario {

/// What restoring one message costs at one ratio.
struct RestoringKeys {
  double ratio = 1;
  netmodels::Seconds fixed, per_million_values;
};

/// What one compressor costs.
struct KernelCostKeys {
  std::string method;
  netmodels::Seconds fixed, per_million_values, per_million_kept;
  std::int64_t smallest = 1, largest = 1;
  double smallest_ratio = 0, largest_ratio = 1;
  double median_error = 0, p90_error = 0, worst_error = 0;
  std::vector<RestoringKeys> restore;
  double restore_median_error = 0, restore_p90_error = 0, restore_worst_error = 0;
};

/// The file.
struct KernelCostsKeys {
  std::string device;
  std::vector<KernelCostKeys> kernels;
};

template <class V>
void describe(V& v, RestoringKeys& restoring) {
  v.field({.name = "ratio",
           .doc = "Compression ratio; 1 where the method knows none.",
           .bounds = above_up_to(0, 1),
           .example = "1 %",
           .share = true},
          restoring.ratio);
  v.field({.name = "fixed", .doc = "Time of a call.", .example = "2 us"}, restoring.fixed);
  v.field({.name = "per_million_values",
           .doc = "Time that 10^6 values of the gradient take.",
           .example = "50 us"},
          restoring.per_million_values);
}

/// Errors of compressing and restoring as many messages as `netmodels::judged_messages`.
template <class V>
void describe_restoring_errors(V& v, KernelCostKeys& kernel) {
  v.field({.name = "restore_median_error",
           .doc = "Median error of compressing and restoring 16 messages on held-out sizes.",
           .fallback = "0",
           .bounds = at_least(0),
           .example = "3 %",
           .share = true},
          kernel.restore_median_error);
  v.field({.name = "restore_p90_error",
           .doc = "Nine of ten of them lie within it.",
           .fallback = "0",
           .bounds = at_least(0),
           .example = "9 %",
           .share = true},
          kernel.restore_p90_error);
  v.field({.name = "restore_worst_error",
           .doc = "The largest of those.",
           .fallback = "0",
           .bounds = at_least(0),
           .example = "12 %",
           .share = true},
          kernel.restore_worst_error);
}

template <class V>
void describe(V& v, KernelCostKeys& kernel) {
  v.field({.name = "method", .doc = "Compressor.", .example = "topk"}, kernel.method);
  v.field({.name = "fixed",
           .doc = "Time of compressing and restoring one message, whatever its size.",
           .example = "12 us"},
          kernel.fixed);
  v.field(
      {.name = "per_million_values", .doc = "Time that 10^6 values of the gradient take.", .example = "1 ms"},
      kernel.per_million_values);
  v.field({.name = "per_million_kept",
           .doc = "Time that 10^6 values more that are kept take.",
           .example = "9 ms"},
          kernel.per_million_kept);
  v.field({.name = "smallest",
           .doc = "Values of the smallest gradient that was measured.",
           .bounds = at_least(1),
           .example = "1000000"},
          kernel.smallest);
  v.field(
      {.name = "largest", .doc = "Values of the largest one.", .bounds = at_least(1), .example = "25000000"},
      kernel.largest);
  v.field({.name = "smallest_ratio",
           .doc = "Smallest compression ratio that was measured; 1 where the method knows none.",
           .fallback = "0",
           .bounds = between(0, 1),
           .example = "0.1 %",
           .share = true},
          kernel.smallest_ratio);
  v.field({.name = "largest_ratio",
           .doc = "Largest one.",
           .fallback = "1",
           .bounds = between(0, 1),
           .example = "10 %",
           .share = true},
          kernel.largest_ratio);
  v.field({.name = "median_error",
           .doc = "Median error on held-out sizes.",
           .bounds = at_least(0),
           .example = "3 %",
           .share = true},
          kernel.median_error);
  v.field({.name = "p90_error",
           .doc = "Nine of ten lie within it.",
           .bounds = at_least(0),
           .example = "9 %",
           .share = true},
          kernel.p90_error);
  v.field({.name = "worst_error",
           .doc = "The largest of them.",
           .bounds = at_least(0),
           .example = "12 %",
           .share = true},
          kernel.worst_error);
  v.field(
      {.name = "restore",
       .doc = "What restoring one message and adding it to a sum takes, at rising ratios: of each further "
              "message that an all-gather brings. Without it further messages cost nothing.",
       .example = "[{ratio: 1 %, fixed: 2 us, per_million_values: 50 us}]",
       .need = Need::optional},
      kernel.restore);
  describe_restoring_errors(v, kernel);
}

template <class V>
void describe(V& v, KernelCostsKeys& file) {
  v.field({.name = "device", .doc = "Device that was measured.", .example = "'NVIDIA H200'"}, file.device);
  v.field({.name = "kernels", .doc = "One entry per compressor.", .need = Need::required}, file.kernels);
}

}  // namespace sim::scenario
