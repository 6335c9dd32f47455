// Fits: known segments come back, garbage does not fool the error, and larger messages never take less time.
#include "calibrate/fits/segments.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/fits/sampled_times.hpp"

namespace calibrate::fits {
namespace {

TEST(FitSegments, OneLineIsExact) {
  const SegmentModel line{{{{1e12}, {50e-6}, {1e-9}}}};
  const auto fit = fit_segments(sample(line, 0, 1), 1);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->segments[0].latency.count, 50e-6, 1e-12);
  EXPECT_NEAR(fit->segments[0].per_byte.count, 1e-9, 1e-17);
}

TEST(FitSegments, KnownSegmentsComeBackFromTimesWithOnePercentOfNoise) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto fit = fit_segments(sample(three, 0.01, seed), 3);
    ASSERT_TRUE(fit);
    for (double size = 4; size < 5e9; size *= 2) {
      EXPECT_NEAR(predict(*fit, {size}) / predict(three, {size}), 1, 0.04)
          << "seed " << seed << ", size " << size;
    }
    EXPECT_NEAR(fit->segments[0].latency.count / 30e-6, 1, 0.02);
    EXPECT_NEAR(fit->segments[2].per_byte.count / 0.15e-9, 1, 0.02);
  }
}

TEST(FitSegments, OneWildPointMovesTheOthersLittle) {
  const SegmentModel line{{{{1e12}, {50e-6}, {1e-9}}}};
  auto points = sample(line, 0, 1);
  points[15].time *= 3;
  const auto fit = fit_segments(points, 1);
  EXPECT_NEAR(fit->segments[0].latency.count / 50e-6, 1, 0.02);
  EXPECT_NEAR(fit->segments[0].per_byte.count / 1e-9, 1, 0.02);
}

TEST(FitSegments, TimeNeverFallsWithSize) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const auto points = sample(three, 0.3, seed);  // noise that makes dips
    for (int segments = 1; segments <= most_segments; ++segments) {
      const auto fit = fit_segments(points, segments);
      if (!fit) continue;
      netmodels::Seconds before{};
      for (double size = 1; size < 1e10; size = std::ceil(size * 1.05)) {
        const auto now = predict(*fit, {size});
        EXPECT_GE(now.count, before.count * (1 - 1e-12)) << "seed " << seed << ", size " << size;
        before = now;
      }
    }
  }
}

}  // namespace
}  // namespace calibrate::fits
