// Monotone regression, by hand.
#include "netmodels/monotone_regression.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

using Values = std::vector<double>;

TEST(MonotoneRegression, LeavesRisingValuesAlone) {
  const Values rising{1, 2, 2, 5};
  EXPECT_EQ(monotone_regression(rising), rising);
  const Values thirds{0.1, 1.0 / 3, 0.7};
  EXPECT_EQ(monotone_regression(thirds, Values{3, 7, 11}), thirds);
}

TEST(MonotoneRegression, PoolsFallingValuesIntoMeans) {
  EXPECT_EQ(monotone_regression(Values{1, 4, 2, 6}), (Values{1, 3, 3, 6}));
  EXPECT_EQ(monotone_regression(Values{3, 2, 1}), (Values{2, 2, 2}));
}

TEST(MonotoneRegression, PoolsBackwardsAsFarAsItMust) {
  EXPECT_EQ(monotone_regression(Values{2, 5, 4, 0}), (Values{2, 3, 3, 3}));
  EXPECT_EQ(monotone_regression(Values{2, 3, 1}), (Values{2, 2, 2}));
}

TEST(MonotoneRegression, PoolsByWeight) {
  EXPECT_EQ(monotone_regression(Values{1, 5, 2}, Values{1, 1, 2}), (Values{1, 3, 3}));
}

TEST(MonotoneRegression, OfNothingIsNothing) { EXPECT_TRUE(monotone_regression({}).empty()); }

}  // namespace
}  // namespace netmodels
