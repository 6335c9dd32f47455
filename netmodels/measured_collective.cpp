// Measured collectives, piece by piece.
#include "netmodels/measured_collective.hpp"

#include <algorithm>
#include <cassert>

namespace netmodels {

// Looking up the piece that a size falls into.

Seconds predict(const SegmentModel& model, Bytes size) {
  assert(!model.segments.empty());
  const auto inner_end = model.segments.end() - 1;
  const auto segment = std::find_if(model.segments.begin(), inner_end,
                                    [&](const Segment& each) { return size <= each.up_to; });
  return segment->latency + size * segment->per_byte;
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

}  // namespace netmodels
