// Fits: known segments come back, garbage does not fool the error, and times may fall from one segment to the
// next.
#include "calibrate/fits/segments.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/fits/sampled_times.hpp"

namespace calibrate::fits {
namespace {

TEST(FitSegments, OneLineIsExact) {
  const SegmentModel line{{{{1e12}, {50e-6}, {1e-9}}}};
  const auto fit = fit_segments(sample(line, 0, 1), 1);
  EXPECT_NEAR(fit.segments[0].latency.count, 50e-6, 1e-12);
  EXPECT_NEAR(fit.segments[0].per_byte.count, 1e-9, 1e-17);
}

TEST(FitSegments, KnownSegmentsComeBackFromTimesWithOnePercentOfNoise) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto fit = fit_segments(sample(three, 0.01, seed), 3);
    for (double size = 4; size < 5e9; size *= 2) {
      EXPECT_NEAR(predict(fit, {size}) / predict(three, {size}), 1, 0.04)
          << "seed " << seed << ", size " << size;
    }
    EXPECT_NEAR(fit.segments[0].latency.count / 30e-6, 1, 0.02);
    EXPECT_NEAR(fit.segments[2].per_byte.count / 0.15e-9, 1, 0.02);
  }
}

TEST(FitSegments, OneWildPointMovesTheOthersLittle) {
  const SegmentModel line{{{{1e12}, {50e-6}, {1e-9}}}};
  auto points = sample(line, 0, 1);
  points[15].time *= 3;
  const auto fit = fit_segments(points, 1);
  EXPECT_NEAR(fit.segments[0].latency.count / 50e-6, 1, 0.02);
  EXPECT_NEAR(fit.segments[0].per_byte.count / 1e-9, 1, 0.02);
}

/// 10 us and 1 us per kB up to 32 kB, half of that beyond: 32 kB take 42 us, 64 kB take 37 us.
std::vector<measurements::MeasuredPoint> falling_times() {
  std::vector<measurements::MeasuredPoint> points;
  for (double size = 1e3; size < 3e6; size *= 2) {
    const double time = 10e-6 + size * 1e-9;
    points.push_back({{size}, {size <= 32e3 ? time : time / 2}});
  }
  return points;
}

TEST(FitSegments, TimesThatFallAtAChangeOfProtocolAreFollowed) {  // by hand
  const auto fit = fit_segments(falling_times(), 2);
  ASSERT_EQ(fit.segments.size(), 2);
  EXPECT_EQ(fit.segments[0].up_to.count, 32e3);
  EXPECT_NEAR(predict(fit, {32e3}).count, 42e-6, 1e-9);
  EXPECT_NEAR(predict(fit, {64e3}).count, 37e-6, 1e-9);
}

TEST(FitSegments, InsideASegmentTimeNeverFalls) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const auto points = sample(three, 0.3, seed);  // noise that makes dips
    for (int segments = 1; segments <= most_segments; ++segments) {
      for (const Segment& segment : fit_segments(points, segments).segments) {
        EXPECT_GE(segment.latency.count, 0) << "seed " << seed;
        EXPECT_GE(segment.per_byte.count, 0) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace calibrate::fits
