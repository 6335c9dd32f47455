// Every key of a file of fits, as `calibrate fit` writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "sim/scenario/field.hpp"

namespace sim::scenario {

/// One piece of time over size.
struct SegmentKeys {
  std::optional<netmodels::Bytes> up_to;  ///< nothing: without end
  netmodels::Seconds latency;
  netmodels::Seconds time_per_megabyte;  ///< of 10^6 bytes
};

/// One fit.
struct FitKeys {
  std::string collective;
  int ranks = 0;
  std::optional<int> nodes;
  std::string size;
  std::optional<std::string> machine, network, tool, algorithm, protocol, source, licence;
  std::string measurements;
  int measured_sizes = 0;
  netmodels::Bytes smallest_size, largest_size;
  std::string held_out;
  double mean_error = 0, median_error = 0, p90_error = 0, worst_error = 0, bias = 0;
  std::vector<SegmentKeys> segments;
};

/// The file.
struct FitsKeys {
  std::vector<FitKeys> fits;
};

template <class V>
void describe(V& v, SegmentKeys& segment) {
  v.field({.name = "up_to", .doc = "Largest size of the piece.", .bounds = above(0), .example = "16 KiB"},
          segment.up_to);
  v.field({.name = "latency", .doc = "Time of a call without bytes.", .example = "98 us"}, segment.latency);
  v.field({.name = "time_per_megabyte", .doc = "Time that 10^6 bytes more take.", .example = "531 us"},
          segment.time_per_megabyte);
}

/// Where the measurements come from.
template <class V>
void describe_facts(V& v, FitKeys& fit) {
  v.field({.name = "gpus", .doc = "Devices that were measured."}, fit.machine);
  v.field({.name = "network", .doc = "Links and transport that were measured."}, fit.network);
  v.field({.name = "tool", .doc = "What measured."}, fit.tool);
  v.field({.name = "algorithm", .doc = "Of the collective, where it was pinned."}, fit.algorithm);
  v.field({.name = "protocol", .doc = "Of the collective, where it was pinned."}, fit.protocol);
  v.field({.name = "source", .doc = "Where the measurements lie."}, fit.source);
  v.field({.name = "licence", .doc = "Of the measurements."}, fit.licence);
  v.field({.name = "measurements", .doc = "File that was fitted.", .need = Need::optional}, fit.measurements);
}

/// How far the fit lies from sizes that it has not seen.
template <class V>
void describe_errors(V& v, FitKeys& fit) {
  v.field({.name = "held_out", .doc = "Which sizes were held out.", .need = Need::optional}, fit.held_out);
  v.field({.name = "mean_error", .doc = "Mean error on them.", .bounds = at_least(0), .share = true},
          fit.mean_error);
  v.field({.name = "median_error", .doc = "Median error on them.", .bounds = at_least(0), .share = true},
          fit.median_error);
  v.field({.name = "p90_error", .doc = "Nine of ten lie within it.", .bounds = at_least(0), .share = true},
          fit.p90_error);
  v.field({.name = "worst_error", .doc = "The largest of them.", .bounds = at_least(0), .share = true},
          fit.worst_error);
  v.field({.name = "bias", .doc = "Their mean with its sign.", .share = true}, fit.bias);
}

template <class V>
void describe(V& v, FitKeys& fit) {
  v.field({.name = "collective", .doc = "Operation that was measured.", .example = "all_reduce"},
          fit.collective);
  v.field({.name = "ranks", .doc = "How many took part.", .bounds = at_least(2), .example = "8"}, fit.ranks);
  v.field({.name = "nodes", .doc = "Machines that they shared.", .bounds = at_least(1), .example = "2"},
          fit.nodes);
  v.field({.name = "size", .doc = "What sizes count: buffer or total.", .example = "buffer"}, fit.size);
  describe_facts(v, fit);
  v.field({.name = "measured_sizes", .doc = "How many.", .bounds = at_least(1), .example = "32"},
          fit.measured_sizes);
  v.field({.name = "smallest_size", .doc = "Smallest of them.", .bounds = above(0), .example = "4 B"},
          fit.smallest_size);
  v.field({.name = "largest_size", .doc = "Largest of them.", .bounds = above(0), .example = "1 GiB"},
          fit.largest_size);
  describe_errors(v, fit);
  v.field({.name = "segments", .doc = "Time over size.", .need = Need::required}, fit.segments);
}

template <class V>
void describe(V& v, FitsKeys& file) {
  v.field({.name = "fits", .doc = "One entry per operation and set of ranks.", .need = Need::required},
          file.fits);
}

}  // namespace sim::scenario
