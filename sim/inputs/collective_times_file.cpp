// Reads measured times of collectives from the file that `calibrate fit` writes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "netmodels/quantity.hpp"
#include "settings/fields.hpp"
#include "settings/type.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/language/document.hpp"
#include "sim/language/reader.hpp"

namespace sim::inputs {

// Every key of a file of fits, as `calibrate fit` writes it.

/// One piece of time over size.
struct SegmentKeys {
  std::optional<netmodels::Bytes> up_to;  ///< nothing: without end
  netmodels::Seconds latency;
  netmodels::Seconds time_per_megabyte;  ///< time of 10^6 bytes
};

/// A measured size and its time.
struct PointKeys {
  netmodels::Bytes size;
  netmodels::Seconds time;
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
  std::string interpolation = std::string(to_string(netmodels::Interpolation::segments));
  std::vector<SegmentKeys> segments;
  std::vector<PointKeys> points;
};

/// The file.
struct FitsKeys {
  std::vector<FitKeys> fits;
};

void describe(settings::Fields& fields, SegmentKeys& value);

void describe(settings::Fields& fields, PointKeys& value);

void describe(settings::Fields& fields, FitKeys& value);

void describe(settings::Fields& fields, FitsKeys& value);

using namespace settings;

void describe(Fields& fields, SegmentKeys& segment) {
  fields.field(
      {.name = "up_to", .doc = "Largest size of the piece.", .bounds = above(0), .example = "16 KiB"},
      segment.up_to);
  fields.field({.name = "latency", .doc = "Time of a call with zero bytes.", .example = "98 us"},
               segment.latency);
  fields.field({.name = "time_per_megabyte", .doc = "Additional time per 10^6 bytes.", .example = "531 us"},
               segment.time_per_megabyte);
}

void describe(Fields& fields, PointKeys& point) {
  fields.field({.name = "size", .doc = "Measured size.", .bounds = above(0), .example = "16 KiB"},
               point.size);
  fields.field({.name = "time", .doc = "Its time.", .bounds = above(0), .example = "98 us"}, point.time);
}

/// Describes the origin of the measurements.
static void describe_facts(Fields& fields, FitKeys& fit) {
  fields.field({.name = "gpus", .doc = "Devices that were measured."}, fit.machine);
  fields.field({.name = "network", .doc = "Links and transport that were measured."}, fit.network);
  fields.field({.name = "tool", .doc = "Tool that measured."}, fit.tool);
  fields.field({.name = "algorithm", .doc = "Algorithm or protocol of the collective, where it was pinned."},
               fit.algorithm);
  fields.field({.name = "protocol", .doc = "Algorithm or protocol of the collective, where it was pinned."},
               fit.protocol);
  fields.field({.name = "source", .doc = "Location of the measurements."}, fit.source);
  fields.field({.name = "licence", .doc = "Licence of the measurements."}, fit.licence);
  fields.field({.name = "measurements", .doc = "File that was fitted.", .need = Need::optional},
               fit.measurements);
}

/// The error of the fit on held-out sizes.
static void describe_errors(Fields& fields, FitKeys& fit) {
  fields.field({.name = "held_out", .doc = "Which sizes were held out.", .need = Need::optional},
               fit.held_out);
  fields.field({.name = "mean_error", .doc = "Mean error on them.", .bounds = at_least(0), .share = true},
               fit.mean_error);
  fields.field({.name = "median_error", .doc = "Median error on them.", .bounds = at_least(0), .share = true},
               fit.median_error);
  fields.field(
      {.name = "p90_error", .doc = "90th percentile of the error.", .bounds = at_least(0), .share = true},
      fit.p90_error);
  fields.field({.name = "worst_error", .doc = "Largest error.", .bounds = at_least(0), .share = true},
               fit.worst_error);
  fields.field({.name = "bias", .doc = "Mean signed error.", .share = true}, fit.bias);
}

void describe(Fields& fields, FitKeys& fit) {
  fields.field({.name = "collective", .doc = "Operation that was measured.", .example = "all_reduce"},
               fit.collective);
  fields.field({.name = "ranks", .doc = "Number of ranks.", .bounds = at_least(2), .example = "8"},
               fit.ranks);
  fields.field({.name = "nodes", .doc = "Number of machines.", .bounds = at_least(1), .example = "2"},
               fit.nodes);
  fields.field({.name = "size", .doc = "Meaning of sizes: buffer or total.", .example = "buffer"}, fit.size);
  describe_facts(fields, fit);
  fields.field({.name = "measured_sizes", .doc = "How many.", .bounds = at_least(1), .example = "32"},
               fit.measured_sizes);
  fields.field({.name = "smallest_size", .doc = "Smallest size.", .bounds = above(0), .example = "4 B"},
               fit.smallest_size);
  fields.field({.name = "largest_size", .doc = "Largest size.", .bounds = above(0), .example = "1 GiB"},
               fit.largest_size);
  describe_errors(fields, fit);
  fields.field(
      {.name = "interpolation",
       .doc = "How sizes between measured ones are predicted: by `segments`, or between neighbouring "
              "`points` by `lines` of time over size or `log_lines` of log time over log size.",
       .fallback = "segments"},
      fit.interpolation);
  fields.field({.name = "segments", .doc = "Time over size.", .need = Need::required}, fit.segments);
  fields.field({.name = "points", .doc = "Measured sizes, rising."}, fit.points);
}

void describe(Fields& fields, FitsKeys& file) {
  fields.field({.name = "fits", .doc = "One entry per operation and set of ranks.", .need = Need::required},
               file.fits);
}

// Reads files of fits.

namespace {

using netmodels::CollectiveKind;
using netmodels::MeasuredCollective;
using netmodels::refuse;
using netmodels::Result;

constexpr double bytes_per_megabyte = 1e6;

/// The parts of gradient exchanges, by the names of measuring tools.
constexpr std::array<std::pair<std::string_view, CollectiveKind>, 4> kinds{
    {{"all_reduce", CollectiveKind::all_reduce},
     {"all_gather", CollectiveKind::all_gather},
     {"broadcast", CollectiveKind::broadcast},
     {"reduce_scatter", CollectiveKind::reduce_scatter}}};

netmodels::Segment segment_of(const SegmentKeys& keys) {
  return {keys.up_to.value_or(netmodels::Bytes{}), keys.latency,
          netmodels::TimePerByte{keys.time_per_megabyte.count / bytes_per_megabyte}};
}

/// All but the last piece end, and further on each time.
bool ends_rise(const FitKeys& fit) {
  netmodels::Bytes before;
  for (std::size_t i = 0; i + 1 < fit.segments.size(); ++i) {
    const auto& end = fit.segments[i].up_to;
    if (!end || *end <= before) return false;
    before = *end;
  }
  return !fit.segments.empty() && !fit.segments.back().up_to;
}

/// Whether the fit counts sizes as this kind of collective does.
bool counts_alike(const FitKeys& fit, CollectiveKind kind) {
  const bool total = kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter;
  return fit.size == (total ? "total" : "buffer");
}

Result<void> check(const FitKeys& fit, CollectiveKind kind, const std::string& where) {
  const std::string name = "the fit of `" + fit.collective + "`";
  if (!ends_rise(fit))
    return refuse(where, "the ends of the segments of " + name + " do not increase to an open-ended one",
                  "write `up_to` in all but the last, each above the one before");
  if (!counts_alike(fit, kind))
    return refuse(where, name + " counts sizes as `" + fit.size + "`",
                  "accepted: buffer for all_reduce and broadcast, total for the others");
  if (fit.smallest_size > fit.largest_size)
    return refuse(where, "the smallest size of " + name + " is above its largest", "write what was measured");
  return {};
}

Result<netmodels::SegmentModel> model_of(const FitKeys& fit, const std::string& where) {
  const auto interpolation = netmodels::find_interpolation(fit.interpolation);
  if (!interpolation) return refuse(where, interpolation.error().what, interpolation.error().hint);
  netmodels::SegmentModel model{.segments = {}, .interpolation = *interpolation};
  for (const SegmentKeys& segment : fit.segments) model.segments.push_back(segment_of(segment));
  for (const PointKeys& point : fit.points) model.points.push_back({point.size, point.time});
  if (const auto error = netmodels::problem_with_points(model))
    return refuse(where, error->what, error->hint);
  return model;
}

MeasuredCollective measured_of(const FitKeys& fit, CollectiveKind kind) {
  MeasuredCollective row{.kind = kind,
                         .ranks = static_cast<std::uint32_t>(fit.ranks),
                         .nodes = std::nullopt,
                         .smallest = fit.smallest_size,
                         .largest = fit.largest_size,
                         .p90_error = fit.p90_error,
                         .times = {}};
  if (fit.nodes) row.nodes = static_cast<std::uint32_t>(*fit.nodes);
  return row;
}

}  // namespace

Result<std::vector<MeasuredCollective>> read_collective_times(const std::filesystem::path& path) {
  GRADSIM_TRY(document, language::read_document(path));
  FitsKeys keys;
  const language::Field field{document->root, "", settings::Key{.name = "file", .doc = "a file of fits"}};
  if (const auto read = language::read_map(field, keys); !read) return tl::unexpected(read.error());
  const auto& entries = document->root.find("fits")->items();
  std::vector<MeasuredCollective> rows;
  for (std::size_t i = 0; i < keys.fits.size(); ++i) {
    const FitKeys& fit = keys.fits[i];
    const auto kind = std::ranges::find(kinds, fit.collective, &decltype(kinds)::value_type::first);
    if (kind == kinds.end()) continue;
    const std::string where = entries[i].origin().text();
    if (auto checked = check(fit, kind->second, where); !checked) return tl::unexpected(checked.error());
    MeasuredCollective row = measured_of(fit, kind->second);
    GRADSIM_TRY(model, model_of(fit, where));
    row.times = std::move(*model);
    const auto same = [&](const MeasuredCollective& other) {
      return other.kind == row.kind && other.ranks == row.ranks && other.nodes == row.nodes;
    };
    if (std::ranges::any_of(rows, same))
      return refuse(where, "duplicate `" + fit.collective + "` on the same ranks and nodes",
                    "keep one of the two");
    rows.push_back(std::move(row));
  }
  if (!rows.empty()) return rows;
  return refuse(document->root.origin().text(), "no fit is for an operation of gradient exchanges",
                "fit measurements of all_reduce, all_gather, broadcast or reduce_scatter");
}

}  // namespace sim::inputs
