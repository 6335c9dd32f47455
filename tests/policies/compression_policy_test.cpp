// Warm-up ratios by hand and as published.
#include "policies/compression_policy.hpp"

#include <gtest/gtest.h>

namespace policies {
namespace {

TEST(RatioSchedule, FallsInAStraightLineFromEverythingToTheRatio) {
  const RatioSchedule schedule{5, RatioShape::linear};
  EXPECT_EQ(schedule.at(0, 0.1), 1);
  EXPECT_DOUBLE_EQ(schedule.at(2.5, 0.1), 0.55);
  EXPECT_DOUBLE_EQ(schedule.at(4, 0.1), 0.28);
}

TEST(RatioSchedule, ExponentialFallsByTheSameShareEachEpoch) {  // 0.001^(1/5) = 0.2512
  const RatioSchedule schedule{4, RatioShape::exponential};
  EXPECT_NEAR(schedule.at(0, 0.001), 0.2512, 1e-4);
  EXPECT_NEAR(schedule.at(1, 0.001), 0.0631, 1e-4);
  EXPECT_NEAR(schedule.at(2, 0.001), 0.0158, 1e-4);
  EXPECT_NEAR(schedule.at(3, 0.001), 0.00398, 1e-5);
  EXPECT_EQ(schedule.at(3.9, 0.001), schedule.at(3, 0.001));
}

TEST(RatioSchedule, IsOverAfterItsEpochs) {
  EXPECT_FALSE((RatioSchedule{5, RatioShape::linear}.over(100, 4.999)));
  EXPECT_TRUE((RatioSchedule{5, RatioShape::linear}.over(0, 5)));
  EXPECT_TRUE((RatioSchedule{0, RatioShape::linear}.over(0, 0)));
}

TEST(RatioSchedule, ADenseOneIsWholeUntilItsStepsOrEpochsAreOver) {
  const RatioSchedule by_steps{.shape = RatioShape::dense, .steps = 20};
  EXPECT_TRUE(by_steps.any());
  EXPECT_FALSE(RatioSchedule{}.any());
  EXPECT_FALSE(by_steps.over(19, 100));
  EXPECT_TRUE(by_steps.over(20, 0));
  EXPECT_EQ(by_steps.at(0, 0.1), 1);
  EXPECT_EQ((RatioSchedule{2, RatioShape::dense}.at(1.9, 0.1)), 1);
  EXPECT_FALSE((RatioSchedule{2, RatioShape::dense}.over(1000, 1.9)));
}

TEST(RatioSchedule, RefusesTwoLengthsAndStepsOfAFallingRatio) {
  EXPECT_EQ(problem_of(RatioSchedule{.shape = RatioShape::dense, .steps = 20}), std::nullopt);
  EXPECT_EQ(problem_of(RatioSchedule{4, RatioShape::linear}), std::nullopt);
  const auto two = problem_of(RatioSchedule{4, RatioShape::dense, 20});
  EXPECT_EQ(two->key, "steps");
  EXPECT_EQ(two->what, "the warm-up has two lengths");
  EXPECT_EQ(two->hint, "write `epochs` or `steps`");
  const auto falling = problem_of(RatioSchedule{.steps = 20});
  EXPECT_EQ(falling->key, "steps");
  EXPECT_EQ(falling->what, "a ratio falls over epochs, not over steps");
  EXPECT_EQ(falling->hint, "write `epochs`, or `shape: dense`");
}

}  // namespace
}  // namespace policies
