// Every key of a device file.
#include "sim/scenario/fields_device.hpp"

#include "settings/type.hpp"

namespace sim::scenario {

using namespace settings;

void describe(Fields& fields, EfficiencyKeys& keys) {
  fields.field({.name = "share",
                .doc = "Share of the peak that real kernels reach.",
                .bounds = above_up_to(0, 1),
                .example = "0.8",
                .share = true},
               keys.share);
  fields.field({.name = "source", .doc = "Who measured it, on what.", .example = "copy of 1 GB on one H200"},
               keys.source);
}

void describe(Fields& fields, DeviceKeys& keys) {
  fields.field({.name = "name", .doc = "Name of the device.", .example = "v100_sxm2_datasheet"}, keys.name);
  fields.field({.name = "provenance",
                .doc = "Whose figures these are.",
                .example = "\"vendor datasheet: NVIDIA V100, SXM2\""},
               keys.provenance);
  fields.field(
      {.name = "precision", .doc = "Arithmetic that the peak is for: fp32 or tf32.", .fallback = "fp32"},
      keys.precision);
  fields.field({.name = "peak",
                .doc = "Dense floating-point operations per second.",
                .bounds = above(0),
                .example = "15.7 TFLOP/s"},
               keys.peak);
  fields.field({.name = "memory_bandwidth",
                .doc = "Peak of the device's own memory.",
                .bounds = above(0),
                .example = "900 GB/s"},
               keys.memory_bandwidth);
  fields.field({.name = "compute_efficiency", .doc = "Without it, 1: predicted times are lower bounds."},
               keys.compute_efficiency);
  fields.field({.name = "memory_efficiency", .doc = "Without it, 1: predicted times are lower bounds."},
               keys.memory_efficiency);
  fields.field({.name = "launch",
                .doc = "Fixed time per kernel that nothing hides.",
                .fallback = "0 s",
                .bounds = at_least(0)},
               keys.launch);
}

}  // namespace sim::scenario
