// Fits: known segments come back, garbage does not fool the error, and larger messages never take less time.
#include "calibrate/fit_segments.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "calibrate/fit_held_out.hpp"

namespace calibrate {
namespace {

const SegmentModel three{
    {{{32768}, {30e-6}, {1e-9}}, {{4e6}, {60e-6}, {0.2e-9}}, {{1e12}, {300e-6}, {0.15e-9}}}};

/// Times of a model at 4 B, 8 B, ... 4 GB, each off by a normal deviate of `noise`, relative.
std::vector<MeasuredPoint> sample(const SegmentModel& model, double noise, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<MeasuredPoint> points;
  for (double size = 4; size < 5e9; size *= 2) {
    double deviate = -6;  // a sum of uniform numbers, the same with every library
    for (int i = 0; i < 12; ++i) deviate += static_cast<double>(generator()) / 4294967296.0;
    points.push_back({{size}, predict(model, {size}) * (1 + noise * deviate)});
  }
  return points;
}

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

TEST(FitHeldOut, FindsThreeSegmentsAndAnErrorNearTheNoise) {
  const auto fit = fit_held_out(sample(three, 0.01, 3), std::nullopt);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->model.segments.size(), 3);
  EXPECT_EQ(fit->by, HeldOutBy::every_second_size);
  EXPECT_LT(fit->held_out.median, 0.015);
}

TEST(FitHeldOut, ErrorOfPureNoiseIsNotHidden) {
  std::mt19937 generator(5);
  std::vector<MeasuredPoint> points;
  for (double size = 4; size < 5e9; size *= 2)
    points.push_back({{size}, {static_cast<double>(1 + generator() % 1000)}});
  const auto fit = fit_held_out(points, std::nullopt);
  ASSERT_TRUE(fit);
  EXPECT_GT(fit->held_out.mean, 0.3);
}

TEST(FitHeldOut, FewSizesAreHeldOutOneAtATime) {
  auto points = sample(three, 0.01, 3);
  points.resize(8);
  EXPECT_EQ(fit_held_out(points, std::nullopt)->by, HeldOutBy::one_size_at_a_time);
  points.resize(3);
  EXPECT_EQ(fit_held_out(points, std::nullopt).error().text(),
            "3 sizes are too few for a fit with an honest error; measure at least 4");
  points = sample(three, 0.01, 3);
  points.resize(6);
  EXPECT_EQ(fit_held_out(points, 2).error().text(), "6 sizes are too few for 2 segments; accepted: up to 1");
}

TEST(Statistics, AreAsByHand) {
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.9), 4.6);
  const RelativeErrors errors = summarise(std::vector{-0.1, 0.3});
  EXPECT_DOUBLE_EQ(errors.mean, 0.2);
  EXPECT_DOUBLE_EQ(errors.bias, 0.1);
  EXPECT_DOUBLE_EQ(errors.worst, 0.3);
}

}  // namespace
}  // namespace calibrate
