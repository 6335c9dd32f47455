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
  EXPECT_FALSE((RatioSchedule{5, RatioShape::linear}.over(4.999)));
  EXPECT_TRUE((RatioSchedule{5, RatioShape::linear}.over(5)));
  EXPECT_TRUE((RatioSchedule{0, RatioShape::linear}.over(0)));
}

}  // namespace
}  // namespace policies
