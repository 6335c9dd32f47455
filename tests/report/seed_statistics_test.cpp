// Means over seeds, their intervals, and tests of pairs.
#include "sim/report/seed_statistics.hpp"

#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace sim::report {
namespace {

TEST(MeanOverSeeds, LiesInItsIntervalWithinTheValues) {
  const std::array values{1.0, 2.0, 3.0, 4.0, 10.0};
  const SeedMean mean = mean_over_seeds(values);
  EXPECT_DOUBLE_EQ(mean.mean, 4);
  EXPECT_LT(mean.low, 4);
  EXPECT_GT(mean.high, 4);
  EXPECT_GE(mean.low, 1);
  EXPECT_LE(mean.high, 10);
}

TEST(MeanOverSeeds, EqualValuesHaveNoWidth) {
  const std::array values{2.5, 2.5, 2.5};
  const SeedMean mean = mean_over_seeds(values);
  EXPECT_DOUBLE_EQ(mean.low, 2.5);
  EXPECT_DOUBLE_EQ(mean.high, 2.5);
}

TEST(MeanOverSeeds, OfTwoValuesReachesToBoth) {
  const std::array values{1.0, 2.0};
  const SeedMean mean = mean_over_seeds(values);
  EXPECT_DOUBLE_EQ(mean.low, 1);
  EXPECT_DOUBLE_EQ(mean.high, 2);
}

/// Of 400 samples of ten normal values, 95 % of intervals should hold the mean; the plain percentile interval
/// holds it in about 90 %.
TEST(MeanOverSeeds, HoldsTheTrueMeanAsOftenAsItSays) {
  std::mt19937_64 random(7);
  constexpr int samples = 400;
  int held = 0;
  for (int sample = 0; sample < samples; ++sample) {
    std::vector<double> values(10);
    for (double& value : values) {
      double sum = -6;  // of twelve uniform numbers: nearly normal, and the same on every platform
      for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
      value = sum;
    }
    const SeedMean mean = mean_over_seeds(values);
    held += mean.low <= 0 && 0 <= mean.high ? 1 : 0;
  }
  EXPECT_GE(held, samples * 92 / 100);
  EXPECT_LE(held, samples * 98 / 100);
}

TEST(Median, IsTheMiddleValueOrBetweenTwo) {
  EXPECT_DOUBLE_EQ(median(std::array{5.0, 1.0, 3.0}), 3);
  EXPECT_DOUBLE_EQ(median(std::array{4.0, 1.0, 3.0, 2.0}), 2.5);
}

TEST(SeedsToShow, GrowWithTheSquareOfTheDeviation) {  // s = sqrt(2): (2.8016 sqrt(2) / 1)^2 = 15.7
  EXPECT_EQ(seeds_to_show(std::array{1.0, 3.0}, 1), 16U);
  EXPECT_EQ(seeds_to_show(std::array{2.0, 6.0}, 1), 63U);
  EXPECT_EQ(seeds_to_show(std::array{1.0, 1.0}, 1), 2U);
}

TEST(SignTest, IsTwiceTheTailOfTheBinomialDistribution) {
  EXPECT_DOUBLE_EQ(sign_test(5, 5), 2.0 / 32);
  EXPECT_DOUBLE_EQ(sign_test(0, 5), 2.0 / 32);
  EXPECT_DOUBLE_EQ(sign_test(9, 10), 2.0 * 11 / 1024);
  EXPECT_DOUBLE_EQ(sign_test(5, 10), 1);
  EXPECT_DOUBLE_EQ(sign_test(0, 0), 1);
}

}  // namespace
}  // namespace sim::report
