// Every key of a workload: of a file in scenarios/workloads, and of a model stated in place.
#include "sim/scenario/fields_workload.hpp"

#include "settings/type.hpp"

namespace sim::scenario {

using namespace settings;

void describe(Fields& fields, HostOverheadKeys& keys) {
  fields.field({.name = "fixed", .doc = "Per step.", .fallback = "0 s", .bounds = at_least(0)}, keys.fixed);
  fields.field(
      {.name = "per_sample", .doc = "Per step and sample.", .fallback = "0 s", .bounds = at_least(0)},
      keys.per_sample);
}

/// What follows the passes or goes on beside them, in either form of a workload.
template <class Keys>
void describe_rest(Fields& fields, Keys& keys) {
  fields.field({.name = "batch",
                .doc = "Samples at which the times were measured, published or predicted.",
                .bounds = between(1, 1e9),
                .example = "32",
                .need = Need::required},
               keys.batch);
  fields.field(
      {.name = "fixed_share",
       .doc = "Share of each layer's time that does not grow with the batch; 0 where only one batch was "
              "measured.",
       .bounds = between(0, 1),
       .example = "0.1",
       .share = true},
      keys.fixed_share);
  fields.field({.name = "optimizer",
                .doc = "Per step, after the gradients are there.",
                .fallback = "0 s",
                .bounds = at_least(0)},
               keys.optimizer);
  fields.field({.name = "host_overhead",
                .doc = "Per step, not hidden behind the device: one time, or `fixed` and `per_sample`.",
                .fallback = "0 s"},
               keys.host_overhead);
}

void describe(Fields& fields, TimesKeys& keys) {
  fields.field({.name = "measured",
                .doc = "CSV file with the time of each layer.",
                .example = "times/resnet50_v100_sxm2.csv"},
               keys.measured);
  fields.field({.name = "total",
                .doc = "Time of both passes, to be spread over the layers.",
                .bounds = above(0),
                .example = "28 ms"},
               keys.total);
  fields.field(
      {.name = "roofline", .doc = "Device on which to predict the times.", .example = "v100_sxm2_datasheet"},
      keys.roofline);
  fields.field({.name = "device",
                .doc = "Device that the times belong to; for `total`, a file of scenarios/devices.",
                .example = "v100_sxm2_datasheet"},
               keys.device);
  fields.field({.name = "unmeasured",
                .doc = "Types of layers that the file of `measured` does not cover.",
                .example = "[add]"},
               keys.unmeasured);
  describe_rest(fields, keys);
}

void describe(Fields& fields, LayeredKeys& keys) {
  fields.field({.name = "name", .doc = "Name of the workload.", .example = "resnet50_v100"}, keys.name);
  fields.field({.name = "provenance",
                .doc = "Who measured or published what, and where.",
                .example = "\"PyTorch profiler, V100, 2024\""},
               keys.provenance);
  fields.field({.name = "layers",
                .doc = "CSV file with the layers, beside this file.",
                .example = "layers/resnet50.csv"},
               keys.layers);
  fields.field({.name = "times",
                .doc = "Where the times come from.",
                .example = "{total: 28 ms, device: v100_sxm2_datasheet, batch: 64}",
                .need = Need::required},
               keys.times);
}

void describe(Fields& fields, PlainKeys& keys) {
  fields.field({.name = "name", .doc = "Name of the workload.", .fallback = "unnamed"}, keys.name);
  fields.field({.name = "provenance",
                .doc = "Who measured or published what, and where.",
                .fallback = "stated in place"},
               keys.provenance);
  fields.field({.name = "device", .doc = "Device that the time belongs to.", .fallback = "not stated"},
               keys.device);
  fields.field({.name = "parameters",
                .doc = "Trainable values.",
                .bounds = between(1, 1e15),
                .example = "25557032",
                .need = Need::required},
               keys.parameters);
  fields.field({.name = "compute",
                .doc = "Forward and backward pass together, at `batch`.",
                .bounds = above(0),
                .example = "28 ms",
                .need = Need::required},
               keys.compute);
  describe_rest(fields, keys);
}

}  // namespace sim::scenario
