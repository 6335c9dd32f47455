// Looking up the piece that a size falls into.
#include "netmodels/segments.hpp"

#include <algorithm>
#include <cassert>

namespace netmodels {

Seconds predict(const SegmentModel& model, Bytes size) {
  assert(!model.segments.empty());
  const auto inner_end = model.segments.end() - 1;
  const auto segment = std::find_if(model.segments.begin(), inner_end,
                                    [&](const Segment& each) { return size <= each.up_to; });
  return segment->latency + size * segment->per_byte;
}

}  // namespace netmodels
