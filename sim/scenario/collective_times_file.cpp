// Reads files of fits.
#include "sim/scenario/collective_times_file.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sim/scenario/document.hpp"
#include "sim/scenario/fields_collective_times.hpp"
#include "sim/scenario/reader.hpp"

namespace sim::scenario {
namespace {

using netmodels::CollectiveKind;
using netmodels::MeasuredCollective;
using netmodels::refuse;
using netmodels::Result;

constexpr double bytes_per_megabyte = 1e6;

/// What gradient exchanges are made of, by the names of measuring tools.
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
    return refuse(where, "the ends of the segments of " + name + " do not rise to one without end",
                  "write `up_to` in all but the last, each above the one before");
  if (!counts_alike(fit, kind))
    return refuse(where, name + " counts sizes as `" + fit.size + "`",
                  "accepted: buffer for all_reduce and broadcast, total for the others");
  if (fit.smallest_size > fit.largest_size)
    return refuse(where, "the smallest size of " + name + " is above its largest", "write what was measured");
  return {};
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
  for (const SegmentKeys& segment : fit.segments) row.times.segments.push_back(segment_of(segment));
  return row;
}

}  // namespace

Result<std::vector<MeasuredCollective>> read_collective_times(const std::filesystem::path& path) {
  GRADSIM_TRY(document, read_document(path));
  FitsKeys keys;
  const Field field{document->root, "", settings::Key{.name = "file", .doc = "a file of fits"}};
  if (const auto read = read_map(field, keys); !read) return tl::unexpected(read.error());
  const auto& entries = document->root.find("fits")->items();
  std::vector<MeasuredCollective> rows;
  for (std::size_t i = 0; i < keys.fits.size(); ++i) {
    const FitKeys& fit = keys.fits[i];
    const auto kind = std::ranges::find(kinds, fit.collective, &decltype(kinds)::value_type::first);
    if (kind == kinds.end()) continue;
    const std::string where = entries[i].origin().text();
    if (auto checked = check(fit, kind->second, where); !checked) return tl::unexpected(checked.error());
    MeasuredCollective row = measured_of(fit, kind->second);
    const auto same = [&](const MeasuredCollective& other) {
      return other.kind == row.kind && other.ranks == row.ranks && other.nodes == row.nodes;
    };
    if (std::ranges::any_of(rows, same))
      return refuse(where, "`" + fit.collective + "` on as many ranks and nodes stands twice",
                    "keep one of the two");
    rows.push_back(std::move(row));
  }
  if (!rows.empty()) return rows;
  return refuse(document->root.origin().text(), "no fit is of an operation that gradient exchanges use",
                "fit measurements of all_reduce, all_gather, broadcast or reduce_scatter");
}

}  // namespace sim::scenario
