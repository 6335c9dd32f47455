// Every key of a workload: of a file in scenarios/workloads, and of a model stated in place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "sim/scenario/field.hpp"

namespace sim::scenario {

/// Time per step outside the device; written as one time where it does not grow with the batch.
struct HostOverheadKeys {
  netmodels::Seconds fixed;
  netmodels::Seconds per_sample;
};

template <>
inline constexpr std::string_view choice_key<HostOverheadKeys> = "fixed";

/// Where the times of the layers come from.
struct TimesKeys {
  std::optional<std::string> measured;
  std::optional<netmodels::Seconds> total;
  std::optional<std::string> roofline;
  std::optional<std::string> device;
  int batch = 1;
  std::optional<double> fixed_share;
  std::vector<std::string> unmeasured;
  netmodels::Seconds optimizer;
  HostOverheadKeys host_overhead;
};

/// A workload with a layer table.
struct LayeredKeys {
  std::string name;
  std::string provenance;
  std::string layers;
  TimesKeys times;
};

/// A workload without layers.
struct PlainKeys {
  std::string name;
  std::string provenance;
  std::string device;
  std::int64_t parameters = 1;
  netmodels::Seconds compute;
  int batch = 1;
  std::optional<double> fixed_share;
  netmodels::Seconds optimizer;
  HostOverheadKeys host_overhead;
};

template <class V>
void describe(V& v, HostOverheadKeys& keys) {
  v.field({.name = "fixed", .doc = "Per step.", .fallback = "0 s", .bounds = at_least(0)}, keys.fixed);
  v.field({.name = "per_sample", .doc = "Per step and sample.", .fallback = "0 s", .bounds = at_least(0)},
          keys.per_sample);
}

/// What follows the passes or goes on beside them, in either form of a workload.
template <class V, class Keys>
void describe_rest(V& v, Keys& keys) {
  v.field({.name = "batch",
           .doc = "Samples at which the times were measured, published or predicted.",
           .bounds = between(1, 1e9),
           .example = "32",
           .need = Need::required},
          keys.batch);
  v.field({.name = "fixed_share",
           .doc = "Share of each layer's time that does not grow with the batch; 0 where only one batch was "
                  "measured.",
           .bounds = between(0, 1),
           .example = "0.1",
           .share = true},
          keys.fixed_share);
  v.field({.name = "optimizer",
           .doc = "Per step, after the gradients are there.",
           .fallback = "0 s",
           .bounds = at_least(0)},
          keys.optimizer);
  v.field({.name = "host_overhead",
           .doc = "Per step, not hidden behind the device: one time, or `fixed` and `per_sample`.",
           .fallback = "0 s"},
          keys.host_overhead);
}

template <class V>
void describe(V& v, TimesKeys& keys) {
  v.field({.name = "measured",
           .doc = "CSV file with the time of each layer.",
           .example = "times/resnet50_v100_sxm2.csv"},
          keys.measured);
  v.field({.name = "total",
           .doc = "Time of both passes, to be spread over the layers.",
           .bounds = above(0),
           .example = "28 ms"},
          keys.total);
  v.field(
      {.name = "roofline", .doc = "Device on which to predict the times.", .example = "v100_sxm2_datasheet"},
      keys.roofline);
  v.field({.name = "device",
           .doc = "Device that the times belong to; for `total`, a file of scenarios/devices.",
           .example = "v100_sxm2_datasheet"},
          keys.device);
  v.field({.name = "unmeasured",
           .doc = "Types of layers that the file of `measured` does not cover.",
           .example = "[add]"},
          keys.unmeasured);
  describe_rest(v, keys);
}

template <class V>
void describe(V& v, LayeredKeys& keys) {
  v.field({.name = "name", .doc = "Name of the workload.", .example = "resnet50_v100"}, keys.name);
  v.field({.name = "provenance",
           .doc = "Who measured or published what, and where.",
           .example = "\"PyTorch profiler, V100, 2024\""},
          keys.provenance);
  v.field({.name = "layers",
           .doc = "CSV file with the layers, beside this file.",
           .example = "layers/resnet50.csv"},
          keys.layers);
  v.field({.name = "times",
           .doc = "Where the times come from.",
           .example = "{total: 28 ms, device: v100_sxm2_datasheet, batch: 64}",
           .need = Need::required},
          keys.times);
}

template <class V>
void describe(V& v, PlainKeys& keys) {
  v.field({.name = "name", .doc = "Name of the workload.", .fallback = "unnamed"}, keys.name);
  v.field({.name = "provenance",
           .doc = "Who measured or published what, and where.",
           .fallback = "stated in place"},
          keys.provenance);
  v.field({.name = "device", .doc = "Device that the time belongs to.", .fallback = "not stated"},
          keys.device);
  v.field({.name = "parameters",
           .doc = "Trainable values.",
           .bounds = between(1, 1e15),
           .example = "25557032",
           .need = Need::required},
          keys.parameters);
  v.field({.name = "compute",
           .doc = "Forward and backward pass together, at `batch`.",
           .bounds = above(0),
           .example = "28 ms",
           .need = Need::required},
          keys.compute);
  describe_rest(v, keys);
}

}  // namespace sim::scenario
