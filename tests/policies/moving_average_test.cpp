// Averages and quantiles of a policy's observations.
#include "policies/moving_average.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace policies {

// Nearest ranks among the last values, by hand.

namespace {

TEST(RecentQuantile, IsNothingBeforeTheFirstValue) {
  EXPECT_EQ(RecentQuantile(0.5, 3).value(), std::nullopt);
}

TEST(RecentQuantile, IsTheSmallestThatItsShareDoesNotExceed) {
  RecentQuantile median(0.5, 10);
  for (const double value : {5.0, 1.0, 4.0, 2.0}) median.add(value);
  EXPECT_EQ(median.value(), 2);  // rank ceil(0.5 x 4)
  median.add(3);
  EXPECT_EQ(median.value(), 3);
  RecentQuantile most(0.9, 10);
  for (int value = 1; value <= 10; ++value) most.add(value);
  EXPECT_EQ(most.value(), 9);
}

TEST(RecentQuantile, ForgetsWhatIsOlderThanItsWindow) {
  RecentQuantile most(0.99, 2);
  for (const double value : {9.0, 1.0, 2.0}) most.add(value);
  EXPECT_EQ(most.value(), 2);
}

TEST(RecentQuantile, EqualAndInfiniteValuesCountLikeOthers) {
  RecentQuantile median(0.5, 3);
  for (int i = 0; i < 3; ++i) median.add(1);
  median.add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(median.value(), 1);
  median.add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(median.value(), std::numeric_limits<double>::infinity());
}

}  // namespace

// Exponentially weighted averages by hand.

namespace {

TEST(MovingAverage, BeginsWithTheFirstValueAndMovesByItsWeight) {
  MovingAverage average;
  EXPECT_EQ(average.value(), std::nullopt);
  EXPECT_EQ(average.add(4, 0.25), 4);
  EXPECT_EQ(average.add(8, 0.25), 5);
  EXPECT_EQ(average.add(1, 1), 1);
  EXPECT_EQ(average.value(), 1);
}

// Weight 1/2, W = 3. Within the window as without it: 4, 6, 7. Then 8 + (7 - 8)/2 begun at 8: of 8, 8, 0 it
// is 8, 8, 4, and of 8, 0, 0: 8, 4, 2.
TEST(LimitedMovingAverage, IsTheAverageOfItsWindowAlone) {
  LimitedMovingAverage average(3);
  EXPECT_EQ(average.value(), std::nullopt);
  EXPECT_EQ(average.add(4, 0.5), 4);
  EXPECT_EQ(average.add(8, 0.5), 6);
  EXPECT_EQ(average.add(8, 0.5), 7);
  EXPECT_EQ(average.add(0, 0.5), 4);
  EXPECT_EQ(average.add(0, 0.5), 2);
  EXPECT_EQ(average.value(), 2);
}

TEST(LimitedMovingAverage, ForgetsWhatAnUnlimitedOneNeverDoes) {
  LimitedMovingAverage limited(5);
  MovingAverage unlimited;
  limited.add(1000, 0.1);
  unlimited.add(1000, 0.1);
  for (int i = 0; i < 5; ++i) {
    limited.add(1, 0.1);
    unlimited.add(1, 0.1);
  }
  EXPECT_NEAR(*limited.value(), 1, 1e-9);
  EXPECT_GT(*unlimited.value(), 500);
}

TEST(LimitedMovingAverage, AWindowOfOneOrAWeightOfOneIsTheLastValue) {
  LimitedMovingAverage narrow(1);
  LimitedMovingAverage heavy(4);
  for (const double value : {3.0, 7.0, 5.0, 2.0, 9.0, 4.0}) {
    EXPECT_DOUBLE_EQ(narrow.add(value, 0.25), value);
    EXPECT_DOUBLE_EQ(heavy.add(value, 1), value);
  }
}

TEST(WeightByWorkers, IsAHundredthOfThemAndAtMostOne) {
  EXPECT_EQ(weight_by_workers(8), 0.08);
  EXPECT_EQ(weight_by_workers(100), 1);
  EXPECT_EQ(weight_by_workers(4096), 1);
}

TEST(WindowedAverage, SaysNothingUntilItsWindowIsFull) {
  WindowedAverage average(3, 0);
  average.add(1);
  average.add(2);
  EXPECT_EQ(average.value(), std::nullopt);
  average.add(6);
  EXPECT_EQ(average.value(), 3);
}

TEST(WindowedAverage, ForgetsWhatLiesBeforeTheWindow) {
  WindowedAverage average(2, 0);
  for (const double value : {100.0, 1.0, 3.0}) average.add(value);
  EXPECT_EQ(average.value(), 2);
}

TEST(WindowedAverage, CountsOlderValuesForLess) {  // (4/8 + 8/4 + 16/2) / (7/8), as (1 - 1/2)^3, ^2, ^1
  WindowedAverage average(3, 0.5);
  for (const double value : {4.0, 8.0, 16.0}) average.add(value);
  EXPECT_DOUBLE_EQ(*average.value(), 12);
}

TEST(WindowedAverage, BeginsAnewWhenCleared) {
  WindowedAverage average(1, 0);
  average.add(1);
  average.clear();
  EXPECT_EQ(average.value(), std::nullopt);
}

}  // namespace
}  // namespace policies
