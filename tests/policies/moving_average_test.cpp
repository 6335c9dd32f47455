// Exponentially weighted averages by hand.
#include "policies/moving_average.hpp"

#include <gtest/gtest.h>

namespace policies {
namespace {

TEST(MovingAverage, BeginsWithTheFirstValueAndMovesByItsWeight) {
  MovingAverage average;
  EXPECT_EQ(average.value(), std::nullopt);
  EXPECT_EQ(average.add(4, 0.25), 4);
  EXPECT_EQ(average.add(8, 0.25), 5);
  EXPECT_EQ(average.add(1, 1), 1);
  EXPECT_EQ(average.value(), 1);
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
