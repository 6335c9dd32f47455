// Time over size in one to three straight pieces, as measured collectives show it.
#pragma once

#include <vector>

#include "netmodels/quantity.hpp"

namespace netmodels {

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

/// The time that the model gives to any size above 0; beyond the last end, the last piece goes on.
Seconds predict(const SegmentModel& model, Bytes size);

}  // namespace netmodels
