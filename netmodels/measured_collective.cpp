// Measured collectives: between the measured sizes, and beyond them.
#include "netmodels/measured_collective.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include <fmt/core.h>

#include "netmodels/nearest.hpp"
#include "netmodels/node_collectives.hpp"

namespace netmodels {

// The words of interpolations.

namespace {

/// Words in the order of the enumeration.
constexpr std::array<std::string_view, 3> interpolation_words{"segments", "lines", "log_lines"};

}  // namespace

std::string_view to_string(Interpolation interpolation) {
  return interpolation_words.at(static_cast<std::size_t>(interpolation));
}

Result<Interpolation> find_interpolation(std::string_view word) {
  const auto* found = std::ranges::find(interpolation_words, word);
  if (found != interpolation_words.end())
    return static_cast<Interpolation>(found - interpolation_words.begin());
  return refuse("", fmt::format("unknown interpolation `{}`", word),
                accepted_names(word, interpolation_words));
}

std::optional<Error> problem_with_points(const SegmentModel& model) {
  const auto& points = model.points;
  if (model.interpolation == Interpolation::segments) {
    if (points.empty()) return {};
    return Error{"", "`points` are given, and segments interpolate",
                 "write `interpolation: lines` or `log_lines`, or leave out `points`"};
  }
  if (points.size() < 2)
    return Error{
        "",
        fmt::format("`{}` interpolate between {} `points`", to_string(model.interpolation), points.size()),
        "write at least 2"};
  const auto falls = [](const MeasuredTime& a, const MeasuredTime& b) { return a.size >= b.size; };
  if (std::ranges::adjacent_find(points, falls) == points.end()) return {};
  return Error{"", "the sizes of `points` do not increase", "write the smallest first, each once"};
}

// Looking up the piece, or the neighbours, of a size.

namespace {

Seconds by_piece(const std::vector<Segment>& segments, Bytes size) {
  assert(!segments.empty());
  const auto inner_end = segments.end() - 1;
  const auto segment =
      std::find_if(segments.begin(), inner_end, [&](const Segment& each) { return size <= each.up_to; });
  return segment->latency + size * segment->per_byte;
}

/// The pieces, multiplied so that they pass through the point; the point's own time where they are 0 there.
Seconds from_point(const std::vector<Segment>& segments, const MeasuredTime& point, Bytes size) {
  const Seconds here = by_piece(segments, point.size);
  return here.count > 0 ? by_piece(segments, size) * (point.time / here) : point.time;
}

Seconds between(const MeasuredTime& below, const MeasuredTime& above, Bytes size, Interpolation how) {
  if (how == Interpolation::log_lines)
    return below.time *
           std::pow(above.time / below.time, std::log(size / below.size) / std::log(above.size / below.size));
  return below.time + (above.time - below.time) * ((size - below.size) / (above.size - below.size));
}

}  // namespace

Seconds predict(const SegmentModel& model, Bytes size) {
  const auto& points = model.points;
  if (points.empty()) return by_piece(model.segments, size);
  if (size <= points.front().size) return from_point(model.segments, points.front(), size);
  if (size >= points.back().size) return from_point(model.segments, points.back(), size);
  const auto above = std::ranges::lower_bound(points, size, {}, &MeasuredTime::size);
  return between(above[-1], *above, size, model.interpolation);
}

// Beyond the measured sizes.

double MeasuredCollective::factor_beyond(Bytes size) const {
  const Bytes counted = std::max(size, Bytes{1});
  return std::max({1.0, counted / largest, smallest / counted});
}

double MeasuredCollective::error_at(Bytes size) const {
  return p90_error * (1 + std::log2(factor_beyond(size)));
}

Result<void> check_extrapolation(const MeasuredCollective& measured, Bytes size) {
  constexpr int digits = 4;
  if (measured.factor_beyond(size) <= max_extrapolation) return {};
  return refuse(
      "cluster.collective_times",
      fmt::format("{} of {} on {} ranks is {:.3g} times beyond the measured sizes, {} to {}",
                  to_string(measured.kind), print(size, digits), measured.ranks, measured.factor_beyond(size),
                  print(measured.smallest, digits), print(measured.largest, digits)),
      fmt::format("measure sizes nearer to it, or write `cluster.extrapolate: true` to go more than "
                  "{:g} times beyond",
                  max_extrapolation));
}

// Finding the row that fits.

const MeasuredCollective* find_measured(std::span<const MeasuredCollective> rows, CollectiveKind kind,
                                        std::uint32_t ranks, std::uint32_t nodes) {
  const auto fits = [&](const MeasuredCollective& row) {
    return row.kind == kind && row.ranks == ranks && row.nodes.value_or(nodes) == nodes;
  };
  const auto found = std::ranges::find_if(rows, fits);
  return found == rows.end() ? nullptr : &*found;
}

const MeasuredCollective* find_measured(std::span<const MeasuredCollective> rows,
                                        const Collective& collective, std::uint32_t ranks,
                                        std::uint32_t nodes) {
  const bool within_node =
      &collective == &node_sum || &collective == &node_gather || &collective == &node_scatter;
  if (within_node) return find_measured(rows, collective.kind, ranks / nodes, 1);
  const auto is_it = [&](const Collective& row) { return &row == &collective; };
  return std::ranges::any_of(collectives(), is_it) ? find_measured(rows, collective.kind, ranks, nodes)
                                                   : nullptr;
}

}  // namespace netmodels
