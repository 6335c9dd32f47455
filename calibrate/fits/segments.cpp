// One to three straight pieces of time over size, fitted to measured times.
#include "calibrate/fits/segments.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>

namespace calibrate::fits {
namespace {

using netmodels::Bytes;
using netmodels::Seconds;
using Points = std::span<const measurements::MeasuredPoint>;

constexpr double segment_threshold =
    0.05;  // relative residual beyond which a point counts linearly: twice a table's usual noise
constexpr int most_segment_rounds = 50;

struct SegmentLine {
  double latency = 0;   // seconds
  double per_byte = 0;  // seconds per byte

  [[nodiscard]] double at(double size) const { return latency + size * per_byte; }
};

struct FittedLine {
  SegmentLine line;
  double loss = 0;
};

double residual(const SegmentLine& line, const measurements::MeasuredPoint& point) {
  return line.at(point.size.count) / point.time.count - 1;
}

double huber_loss(double r) {
  const double size = std::abs(r);
  return size <= segment_threshold ? r * r / 2 : segment_threshold * (size - segment_threshold / 2);
}

double huber_weight(double r) {
  return std::abs(r) <= segment_threshold ? 1 : segment_threshold / std::abs(r);
}

/// Weighted least squares of time over size, both coefficients kept at 0 or above.
/// The sums are taken about the weighted means, which keeps them exact over ten decades of size.
SegmentLine weighted_line(Points points, const std::vector<double>& weights) {
  double total = 0, size_sum = 0, time_sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    total += weights[i];
    size_sum += weights[i] * points[i].size.count;
    time_sum += weights[i] * points[i].time.count;
  }
  const double size_mean = size_sum / total;
  const double time_mean = time_sum / total;
  double square = 0, product = 0, raw_square = 0, raw_product = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double size = points[i].size.count;
    const double time = points[i].time.count;
    square += weights[i] * (size - size_mean) * (size - size_mean);
    product += weights[i] * (size - size_mean) * (time - time_mean);
    raw_square += weights[i] * size * size;
    raw_product += weights[i] * size * time;
  }
  const double slope = square > 0 ? product / square : 0;
  if (slope <= 0) return {time_mean, 0};
  const double latency = time_mean - slope * size_mean;
  return latency >= 0 ? SegmentLine{latency, slope} : SegmentLine{0, raw_product / raw_square};
}

/// Huber's line through the points by iterated reweighting.
FittedLine fit_line(Points points) {
  std::vector<double> weights(points.size());
  std::vector<double> relative(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    weights[i] = relative[i] = 1 / (points[i].time.count * points[i].time.count);
  SegmentLine line = weighted_line(points, weights);
  for (int round = 0; round < most_segment_rounds; ++round) {
    for (std::size_t i = 0; i < points.size(); ++i)
      weights[i] = relative[i] * huber_weight(residual(line, points[i]));
    const SegmentLine next = weighted_line(points, weights);
    const double end = points.back().size.count;
    const bool settled = std::abs(next.at(end) - line.at(end)) <= 1e-10 * line.at(end) &&
                         std::abs(next.latency - line.latency) <= 1e-10 * line.at(0) + 1e-30;
    line = next;
    if (settled) break;
  }
  double loss = 0;
  for (const measurements::MeasuredPoint& point : points) loss += huber_loss(residual(line, point));
  return {line, loss};
}

/// Lines of all ranges of points that are long enough, each fitted once.
class Lines {
 public:
  explicit Lines(Points points) : points_(points), fitted_(points.size() * points.size()) {}

  const FittedLine& of(std::size_t begin, std::size_t end) {
    auto& line = fitted_[begin * points_.size() + end - 1];
    if (!line) line = fit_line(points_.subspan(begin, end - begin));
    return *line;
  }

 private:
  Points points_;
  std::vector<std::optional<FittedLine>> fitted_;
};

/// Size at which one line ends and the next begins, between the measured sizes `below` and `above`; at
/// `below` where time falls. Whole bytes.
double boundary(const SegmentLine& line, const SegmentLine& next, double below, double above) {
  const double rise_below = next.at(below) - line.at(below);
  const double rise_above = next.at(above) - line.at(above);
  if (rise_below < 0 && rise_above < 0) return below;
  const bool cross = (rise_below < 0) != (rise_above < 0);
  const double cut =
      cross ? below + (above - below) * rise_below / (rise_below - rise_above) : std::sqrt(below * above);
  return std::clamp(std::floor(cut), below, above);
}

struct Choice {
  double loss = std::numeric_limits<double>::infinity();
  SegmentModel model;
};

/// Tries the cut points `ends` (one after each segment's last point) and keeps the better choice.
void consider(Points points, std::span<const std::size_t> ends, Lines& lines, Choice& best) {
  double loss = 0;
  SegmentModel model;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const FittedLine& fitted = lines.of(begin, end);
    loss += fitted.loss;
    if (loss >= best.loss) return;
    if (begin > 0) {
      const Segment& before = model.segments.back();
      model.segments.back().up_to = {boundary({before.latency.count, before.per_byte.count}, fitted.line,
                                              points[begin - 1].size.count, points[begin].size.count)};
    }
    model.segments.push_back({points[end - 1].size, {fitted.line.latency}, {fitted.line.per_byte}});
    begin = end;
  }
  best = {loss, std::move(model)};
}

}  // namespace

SegmentModel fit_segments(Points points, int segments) {
  assert(segments >= 1 && segments <= most_segments);
  const std::size_t n = points.size();
  assert(n >= points_per_segment * static_cast<std::size_t>(segments));
  Lines lines(points);
  Choice best;
  if (segments == 1) consider(points, std::vector{n}, lines, best);
  for (std::size_t first = points_per_segment; segments > 1 && first + points_per_segment <= n; ++first) {
    if (segments == 2) consider(points, std::vector{first, n}, lines, best);
    for (std::size_t second = first + points_per_segment; segments == 3 && second + points_per_segment <= n;
         ++second)
      consider(points, std::vector{first, second, n}, lines, best);
  }
  return best.model;
}

}  // namespace calibrate::fits
