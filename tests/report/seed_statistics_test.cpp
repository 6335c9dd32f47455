// Means over seeds, their intervals, and tests of pairs.
#include "sim/report/seed_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <boost/random/normal_distribution.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sim::report {
namespace {

TEST(MeanOverSeeds, HasTheIntervalOfStudentsDistribution) {  // t of 4 degrees of freedom: 2.7764; s^2 = 12.5
  const std::array values{1.0, 2.0, 3.0, 4.0, 10.0};
  const SeedMean mean = mean_over_seeds(values);
  EXPECT_DOUBLE_EQ(mean.mean, 4);
  EXPECT_NEAR(mean.low, 4 - 2.776445 * std::sqrt(12.5 / 5), 1e-5);
  EXPECT_NEAR(mean.high, 4 + 2.776445 * std::sqrt(12.5 / 5), 1e-5);
}

TEST(MeanOverSeeds, EqualValuesHaveNoWidth) {
  const std::array values{2.5, 2.5, 2.5};
  const SeedMean mean = mean_over_seeds(values);
  EXPECT_DOUBLE_EQ(mean.low, 2.5);
  EXPECT_DOUBLE_EQ(mean.high, 2.5);
}

TEST(MeanOverSeeds, OfTwoValuesReachesFarBeyondBoth) {  // t of 1 degree of freedom: 12.706, times 0.5
  const std::array values{1.0, 2.0};
  const SeedMean mean = mean_over_seeds(values);
  EXPECT_NEAR(mean.low, 1.5 - 6.3531, 1e-4);
  EXPECT_NEAR(mean.high, 1.5 + 6.3531, 1e-4);
}

/// Share of samples of `count` normal values whose interval holds the true mean.
double coverage(std::size_t count) {
  std::mt19937_64 random(7);
  boost::random::normal_distribution<double> normal;  // the same on every platform
  constexpr int samples = 20'000;
  std::vector<double> values(count);
  int held = 0;
  for (int sample = 0; sample < samples; ++sample) {
    std::ranges::generate(values, [&] { return normal(random); });
    const SeedMean mean = mean_over_seeds(values);
    held += mean.low <= 0 && 0 <= mean.high ? 1 : 0;
  }
  return static_cast<double>(held) / samples;
}

TEST(MeanOverSeeds, HoldsTheTrueMeanIn95PercentOfCasesHoweverFewTheSeeds) {
  for (const std::size_t count : {2U, 3U, 5U, 10U}) EXPECT_NEAR(coverage(count), 0.95, 0.01) << count;
}

TEST(Median, IsTheMiddleValueOrBetweenTwo) {
  EXPECT_DOUBLE_EQ(median(std::array{5.0, 1.0, 3.0}), 3);
  EXPECT_DOUBLE_EQ(median(std::array{4.0, 1.0, 3.0, 2.0}), 2.5);
}

/// t = 4 / sqrt(12.5 / 5), r = t^2 / (1 + t^2 / 4) = 2.4615; of 4 degrees of freedom p = 1 - 3/4 sqrt(r) (1 -
/// r / 12).
TEST(PairedTest, IsTheTwoSidedTestOfStudent) {
  const std::array values{1.0, 2.0, 3.0, 4.0, 10.0};
  EXPECT_NEAR(paired_test(values), 0.064677, 1e-6);
  const std::array negative{-1.0, -2.0, -3.0, -4.0, -10.0};
  EXPECT_DOUBLE_EQ(paired_test(negative), paired_test(values));
}

TEST(PairedTest, OfEqualDifferencesIsCertain) {
  EXPECT_EQ(paired_test(std::array{0.0, 0.0}), 1);
  EXPECT_EQ(paired_test(std::array{2.0, 2.0}), 0);
}

/// s = sqrt(2): with 18 seeds ((2.1098 + 0.8633) s)^2 = 17.7 are needed, with 17 ((2.1199 + 0.8647) s)^2
/// = 17.8.
TEST(SeedsToShow, GrowWithTheSquareOfTheDeviation) {
  EXPECT_EQ(seeds_to_show(std::array{1.0, 3.0}, 1, 0.05), 18U);
  EXPECT_EQ(seeds_to_show(std::array{2.0, 6.0}, 1, 0.05), 65U);
  EXPECT_EQ(seeds_to_show(std::array{1.0, 1.0}, 1, 0.05), 5U);
}

TEST(SeedsToShow, AreMoreAtAStricterLevel) {
  EXPECT_GT(seeds_to_show(std::array{1.0, 3.0}, 1, 0.05 / 3), 18U);
}

TEST(SignTest, IsTwiceTheTailOfTheBinomialDistribution) {
  EXPECT_DOUBLE_EQ(sign_test(5, 5), 2.0 / 32);
  EXPECT_DOUBLE_EQ(sign_test(0, 5), 2.0 / 32);
  EXPECT_DOUBLE_EQ(sign_test(9, 10), 2.0 * 11 / 1024);
  EXPECT_DOUBLE_EQ(sign_test(5, 10), 1);
  EXPECT_DOUBLE_EQ(sign_test(0, 0), 1);
}

TEST(Holm, MultipliesTheSmallestByAllAndTheNextByWhatIsLeft) {
  using testing::DoubleEq;
  EXPECT_THAT(holm(std::array{0.01, 0.04, 0.03, 0.005}),
              testing::ElementsAre(DoubleEq(0.03), DoubleEq(0.06), DoubleEq(0.06), DoubleEq(0.02)));
  EXPECT_THAT(holm(std::array{0.6, 0.7}), testing::ElementsAre(1, 1));
  EXPECT_THAT(holm(std::array{0.03}), testing::ElementsAre(0.03));
}

/// @param pairs  "ab": a is better than b
BetterThan better_than(std::size_t arms, const std::vector<std::string>& pairs) {
  BetterThan better(arms, std::vector<bool>(arms));
  for (const std::string& pair : pairs)
    better[static_cast<std::size_t>(pair[0] - 'a')][static_cast<std::size_t>(pair[1] - 'a')] = true;
  return better;
}

TEST(Tiers, SplitWhereEveryArmIsBetterThanEveryLaterOne) {
  using Tiers = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(tiers_of(better_than(3, {})), (Tiers{{0, 1, 2}}));
  EXPECT_EQ(tiers_of(better_than(3, {"ac", "bc"})), (Tiers{{0, 1}, {2}}));
  EXPECT_EQ(tiers_of(better_than(3, {"ab", "bc", "ac"})), (Tiers{{0}, {1}, {2}}));
  EXPECT_EQ(tiers_of(better_than(3, {"ac"})), (Tiers{{0, 1, 2}}));
}

TEST(Tiers, FollowWhatIsBetterAgainstTheOrderOfFigures) {
  using Tiers = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(tiers_of(better_than(3, {"ca", "cb"})), (Tiers{{2}, {0, 1}}));
}

}  // namespace
}  // namespace sim::report
