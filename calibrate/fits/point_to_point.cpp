// Latency and bandwidth of a link from the times of single messages over it.
#include "calibrate/fits/link_fit.hpp"

namespace calibrate::fits {
namespace {

constexpr double most_of_small = 64;           // bytes: one packet, whatever the headers
constexpr double least_of_large = 256 * 1024;  // bytes: beyond a shaper's burst and a stack's eager buffers

}  // namespace

netmodels::Result<netmodels::LinkState> fit_point_to_point(
    std::span<const measurements::MeasuredPoint> points) {
  if (points.empty() || points.front().size.count > most_of_small ||
      points.back().size.count < least_of_large)
    return netmodels::refuse("", "these messages do not show latency and bandwidth",
                             "measure one of at most 64 bytes and one of at least 256 KiB");
  const netmodels::Seconds latency = points.front().time;
  double product = 0, square = 0;
  for (const measurements::MeasuredPoint& point : points) {
    if (point.size.count < least_of_large) continue;
    const double rate = point.size / point.time * netmodels::Seconds{1} / netmodels::Bytes{1};
    product += rate * (1 - latency / point.time);
    square += rate * rate;
  }
  if (product <= 0)
    return netmodels::refuse("", "large messages take no longer than small ones", "measure larger messages");
  return netmodels::LinkState{latency, {square / product}};
}

double both_ways_share() {
  constexpr double segment = 1514;
  constexpr double acknowledgement = 66;
  return 1 - acknowledgement / (2 * segment);
}

}  // namespace calibrate::fits
