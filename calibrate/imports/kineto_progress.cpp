// How far a profiled run had come at a moment, on the host and on the device.
#include <algorithm>

#include "calibrate/imports/kineto_trace.hpp"

namespace calibrate::imports {
namespace {

using netmodels::Seconds;

/// The all-reduces' times on the device, joined where they touch.
std::vector<TracedSpan> exchanges(const std::vector<KinetoWork>& work) {
  std::vector<TracedSpan> spans;
  for (const KinetoWork& one : work) {
    if (!one.all_reduce) continue;
    if (!spans.empty() && one.span.begin <= spans.back().end)
      spans.back().end = std::max(spans.back().end, one.span.end);
    else
      spans.push_back(one.span);
  }
  return spans;
}

Seconds overlap(const std::vector<TracedSpan>& spans, const TracedSpan& with) {
  Seconds sum;
  auto span = std::ranges::lower_bound(spans, with.begin, {}, &TracedSpan::end);
  for (; span != spans.end() && span->begin < with.end; ++span)
    sum += std::min(span->end, with.end) - std::max(span->begin, with.begin);
  return sum;
}

}  // namespace

KinetoProgress::KinetoProgress(const std::vector<KinetoWork>& work) {
  const std::vector<TracedSpan> all_reduces = exchanges(work);
  Seconds free;   // when the device has done all before this one
  Seconds shift;  // by how much it would have been earlier without waiting
  for (const KinetoWork& one : work) {
    if (one.collective) continue;
    const Seconds ready = std::max(free, one.launched);
    if (ready < one.span.begin) shift += overlap(all_reduces, {ready, one.span.begin});
    shift = std::min(shift, one.span.begin - one.launched);
    points_.push_back({one.launched, one.span.end - shift});
    free = std::max(free, one.span.end);
  }
  std::ranges::stable_sort(points_, {}, &Point::launched);
  for (std::size_t i = 1; i < points_.size(); ++i)
    points_[i].done = std::max(points_[i].done, points_[i - 1].done);
}

Seconds KinetoProgress::at(Seconds moment) const {
  const auto next = std::ranges::lower_bound(points_, moment, {}, &Point::launched);
  return next == points_.begin() ? moment : std::max(moment, std::prev(next)->done);
}

}  // namespace calibrate::imports
