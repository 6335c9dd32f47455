// Every key of a file of fits, as `calibrate fit` writes it.
#include "sim/scenario/fields_collective_times.hpp"

#include "settings/type.hpp"

namespace sim::scenario {

using namespace settings;

void describe(Fields& fields, SegmentKeys& segment) {
  fields.field(
      {.name = "up_to", .doc = "Largest size of the piece.", .bounds = above(0), .example = "16 KiB"},
      segment.up_to);
  fields.field({.name = "latency", .doc = "Time of a call without bytes.", .example = "98 us"},
               segment.latency);
  fields.field({.name = "time_per_megabyte", .doc = "Time that 10^6 bytes more take.", .example = "531 us"},
               segment.time_per_megabyte);
}

/// Where the measurements come from.
static void describe_facts(Fields& fields, FitKeys& fit) {
  fields.field({.name = "gpus", .doc = "Devices that were measured."}, fit.machine);
  fields.field({.name = "network", .doc = "Links and transport that were measured."}, fit.network);
  fields.field({.name = "tool", .doc = "What measured."}, fit.tool);
  fields.field({.name = "algorithm", .doc = "Of the collective, where it was pinned."}, fit.algorithm);
  fields.field({.name = "protocol", .doc = "Of the collective, where it was pinned."}, fit.protocol);
  fields.field({.name = "source", .doc = "Where the measurements lie."}, fit.source);
  fields.field({.name = "licence", .doc = "Of the measurements."}, fit.licence);
  fields.field({.name = "measurements", .doc = "File that was fitted.", .need = Need::optional},
               fit.measurements);
}

/// How far the fit lies from sizes that it has not seen.
static void describe_errors(Fields& fields, FitKeys& fit) {
  fields.field({.name = "held_out", .doc = "Which sizes were held out.", .need = Need::optional},
               fit.held_out);
  fields.field({.name = "mean_error", .doc = "Mean error on them.", .bounds = at_least(0), .share = true},
               fit.mean_error);
  fields.field({.name = "median_error", .doc = "Median error on them.", .bounds = at_least(0), .share = true},
               fit.median_error);
  fields.field(
      {.name = "p90_error", .doc = "Nine of ten lie within it.", .bounds = at_least(0), .share = true},
      fit.p90_error);
  fields.field({.name = "worst_error", .doc = "The largest of them.", .bounds = at_least(0), .share = true},
               fit.worst_error);
  fields.field({.name = "bias", .doc = "Their mean with its sign.", .share = true}, fit.bias);
}

void describe(Fields& fields, FitKeys& fit) {
  fields.field({.name = "collective", .doc = "Operation that was measured.", .example = "all_reduce"},
               fit.collective);
  fields.field({.name = "ranks", .doc = "How many took part.", .bounds = at_least(2), .example = "8"},
               fit.ranks);
  fields.field({.name = "nodes", .doc = "Machines that they shared.", .bounds = at_least(1), .example = "2"},
               fit.nodes);
  fields.field({.name = "size", .doc = "What sizes count: buffer or total.", .example = "buffer"}, fit.size);
  describe_facts(fields, fit);
  fields.field({.name = "measured_sizes", .doc = "How many.", .bounds = at_least(1), .example = "32"},
               fit.measured_sizes);
  fields.field({.name = "smallest_size", .doc = "Smallest of them.", .bounds = above(0), .example = "4 B"},
               fit.smallest_size);
  fields.field({.name = "largest_size", .doc = "Largest of them.", .bounds = above(0), .example = "1 GiB"},
               fit.largest_size);
  describe_errors(fields, fit);
  fields.field({.name = "segments", .doc = "Time over size.", .need = Need::required}, fit.segments);
}

void describe(Fields& fields, FitsKeys& file) {
  fields.field({.name = "fits", .doc = "One entry per operation and set of ranks.", .need = Need::required},
               file.fits);
}

}  // namespace sim::scenario
