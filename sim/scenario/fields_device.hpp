// Every key of a device file.
#pragma once

#include <string>

#include "netmodels/quantity.hpp"
#include "sim/scenario/field.hpp"

namespace sim::scenario {

/// A share of a peak, and who measured it.
struct EfficiencyKeys {
  double share = 1;
  std::string source;
};

/// A device file as it is written.
struct DeviceKeys {
  std::string name;
  std::string provenance;
  std::string precision;
  netmodels::FlopRate peak;
  netmodels::Bandwidth memory_bandwidth;
  std::optional<EfficiencyKeys> compute_efficiency;
  std::optional<EfficiencyKeys> memory_efficiency;
  netmodels::Seconds launch;
};

template <class V>
void describe(V& v, EfficiencyKeys& keys) {
  v.field({.name = "share",
           .doc = "Share of the peak that real kernels reach.",
           .bounds = above_up_to(0, 1),
           .example = "0.8",
           .share = true},
          keys.share);
  v.field({.name = "source", .doc = "Who measured it, on what.", .example = "copy of 1 GB on one H200"},
          keys.source);
}

template <class V>
void describe(V& v, DeviceKeys& keys) {
  v.field({.name = "name", .doc = "Name of the device.", .example = "v100_sxm2_datasheet"}, keys.name);
  v.field({.name = "provenance",
           .doc = "Whose figures these are.",
           .example = "\"vendor datasheet: NVIDIA V100, SXM2\""},
          keys.provenance);
  v.field({.name = "precision", .doc = "Arithmetic that the peak is for: fp32 or tf32.", .fallback = "fp32"},
          keys.precision);
  v.field({.name = "peak",
           .doc = "Dense floating-point operations per second.",
           .bounds = above(0),
           .example = "15.7 TFLOP/s"},
          keys.peak);
  v.field({.name = "memory_bandwidth",
           .doc = "Peak of the device's own memory.",
           .bounds = above(0),
           .example = "900 GB/s"},
          keys.memory_bandwidth);
  v.field({.name = "compute_efficiency", .doc = "Without it, 1: predicted times are lower bounds."},
          keys.compute_efficiency);
  v.field({.name = "memory_efficiency", .doc = "Without it, 1: predicted times are lower bounds."},
          keys.memory_efficiency);
  v.field({.name = "launch",
           .doc = "Fixed time per kernel that nothing hides.",
           .fallback = "0 s",
           .bounds = at_least(0)},
          keys.launch);
}

}  // namespace sim::scenario
