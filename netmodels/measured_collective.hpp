// Measured collectives: time over size in one to three straight pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/quantity.hpp"

namespace netmodels {

// Time over size in one to three straight pieces, as measured collectives show it.

/// Time that one more byte takes (beta): the inverse of a bandwidth, and 0 where size does not matter.
using TimePerByte = Quantity<1, -1>;

/// One piece: t = latency + size * per_byte, for sizes up to and including `up_to`.
struct Segment {
  Bytes up_to;           ///< without meaning in the last segment, which has no end
  Seconds latency;       ///< alpha, at least 0
  TimePerByte per_byte;  ///< beta, at least 0

  auto operator<=>(const Segment&) const = default;
};

/// Time over size in pieces, as NCCL's protocols and TCP's windows make it. A larger message never takes less
/// time.
struct SegmentModel {
  std::vector<Segment> segments;  ///< at least 1, ends rising

  bool operator==(const SegmentModel&) const = default;
};

/// The time that the model gives to any size above 0; beyond the last end, the last piece is extended.
Seconds predict(const SegmentModel& model, Bytes size);

// Collectives whose times were measured: fitted over size, with the error on sizes that the fit has not seen.

/// One kind of collective on one set of ranks, by the algorithm that the library chose.
struct MeasuredCollective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::uint32_t ranks = 2;             ///< N
  std::optional<std::uint32_t> nodes;  ///< that the ranks shared; nothing where unknown
  Bytes smallest;                      ///< measured size, counted as `Operation::size` of this kind
  Bytes largest;
  double p90_error = 0;  ///< relative; nine of ten sizes that were held out of the fit lay within it
  SegmentModel times;

  /// Whether times of this size were measured, or at least between two that were.
  [[nodiscard]] bool covers(Bytes size) const { return smallest <= size && size <= largest; }
  bool operator==(const MeasuredCollective&) const = default;
};

/// The first row for this kind on so many ranks and nodes; null where there is none. A row that does not say
/// on how many nodes it was measured fits any number.
const MeasuredCollective* find_measured(std::span<const MeasuredCollective> rows, CollectiveKind kind,
                                        std::uint32_t ranks, std::uint32_t nodes);

}  // namespace netmodels
