// Nearest ranks among the last values, by hand.
#include "policies/recent_quantile.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace policies {
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
}  // namespace policies
