// Every key of a file of kernel costs, as `calibrate fit kernels` writes it.
#include "sim/scenario/fields_kernel_times.hpp"

#include "settings/type.hpp"

namespace sim::scenario {

using namespace settings;

void describe(Fields& fields, RestoringKeys& restoring) {
  fields.field({.name = "ratio",
                .doc = "Compression ratio; 1 where the method knows none.",
                .bounds = above_up_to(0, 1),
                .example = "1 %",
                .share = true},
               restoring.ratio);
  fields.field({.name = "fixed", .doc = "Time of a call.", .example = "2 us"}, restoring.fixed);
  fields.field({.name = "per_million_values",
                .doc = "Time that 10^6 values of the gradient take.",
                .example = "50 us"},
               restoring.per_million_values);
}

/// Errors of compressing and restoring as many messages as `netmodels::judged_messages`.
static void describe_restoring_errors(Fields& fields, KernelCostKeys& kernel) {
  fields.field({.name = "restore_median_error",
                .doc = "Median error of compressing and restoring 16 messages on held-out sizes.",
                .fallback = "0",
                .bounds = at_least(0),
                .example = "3 %",
                .share = true},
               kernel.restore_median_error);
  fields.field({.name = "restore_p90_error",
                .doc = "Nine of ten of them lie within it.",
                .fallback = "0",
                .bounds = at_least(0),
                .example = "9 %",
                .share = true},
               kernel.restore_p90_error);
  fields.field({.name = "restore_worst_error",
                .doc = "The largest of those.",
                .fallback = "0",
                .bounds = at_least(0),
                .example = "12 %",
                .share = true},
               kernel.restore_worst_error);
}

void describe(Fields& fields, KernelCostKeys& kernel) {
  fields.field({.name = "method", .doc = "Compressor.", .example = "topk"}, kernel.method);
  fields.field({.name = "fixed",
                .doc = "Time of compressing and restoring one message, whatever its size.",
                .example = "12 us"},
               kernel.fixed);
  fields.field(
      {.name = "per_million_values", .doc = "Time that 10^6 values of the gradient take.", .example = "1 ms"},
      kernel.per_million_values);
  fields.field({.name = "per_million_kept",
                .doc = "Time that 10^6 values more that are kept take.",
                .example = "9 ms"},
               kernel.per_million_kept);
  fields.field({.name = "smallest",
                .doc = "Values of the smallest gradient that was measured.",
                .bounds = at_least(1),
                .example = "1000000"},
               kernel.smallest);
  fields.field(
      {.name = "largest", .doc = "Values of the largest one.", .bounds = at_least(1), .example = "25000000"},
      kernel.largest);
  fields.field({.name = "smallest_ratio",
                .doc = "Smallest compression ratio that was measured; 1 where the method knows none.",
                .fallback = "0",
                .bounds = between(0, 1),
                .example = "0.1 %",
                .share = true},
               kernel.smallest_ratio);
  fields.field({.name = "largest_ratio",
                .doc = "Largest one.",
                .fallback = "1",
                .bounds = between(0, 1),
                .example = "10 %",
                .share = true},
               kernel.largest_ratio);
  fields.field({.name = "median_error",
                .doc = "Median error on held-out sizes.",
                .bounds = at_least(0),
                .example = "3 %",
                .share = true},
               kernel.median_error);
  fields.field({.name = "p90_error",
                .doc = "Nine of ten lie within it.",
                .bounds = at_least(0),
                .example = "9 %",
                .share = true},
               kernel.p90_error);
  fields.field({.name = "worst_error",
                .doc = "The largest of them.",
                .bounds = at_least(0),
                .example = "12 %",
                .share = true},
               kernel.worst_error);
  fields.field(
      {.name = "restore",
       .doc = "What restoring one message and adding it to a sum takes, at rising ratios: of each further "
              "message that an all-gather brings. Without it further messages cost nothing.",
       .example = "[{ratio: 1 %, fixed: 2 us, per_million_values: 50 us}]",
       .need = Need::optional},
      kernel.restore);
  describe_restoring_errors(fields, kernel);
}

void describe(Fields& fields, KernelCostsKeys& file) {
  fields.field({.name = "device", .doc = "Device that was measured.", .example = "'NVIDIA H200'"},
               file.device);
  fields.field({.name = "kernels", .doc = "One entry per compressor.", .need = Need::required}, file.kernels);
}

}  // namespace sim::scenario
