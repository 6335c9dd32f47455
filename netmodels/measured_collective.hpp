// Collectives whose times were measured: fitted over size, with the error on sizes that the fit has not seen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "netmodels/collective.hpp"
#include "netmodels/segments.hpp"

namespace netmodels {

/// One kind of collective on one set of ranks, by whatever algorithm the library chose.
struct MeasuredCollective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::uint32_t ranks = 2;             ///< N
  std::optional<std::uint32_t> nodes;  ///< that the ranks shared; nothing where nobody said
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
