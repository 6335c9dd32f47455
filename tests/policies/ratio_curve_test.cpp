// Interpolation over the logarithm of the ratio, and the pooling of points out of order.
#include "policies/ratio_curve.hpp"

#include <gtest/gtest.h>

namespace policies {
namespace {

TEST(RatioCurve, GoesThroughItsPointsInWhateverOrderTheyCome) {
  const RatioCurve curve({{0.1, 3}, {0.001, 1}, {0.01, 2.5}});
  EXPECT_EQ(curve.at(0.001), 1);
  EXPECT_EQ(curve.at(0.01), 2.5);
  EXPECT_EQ(curve.at(0.1), 3);
}

TEST(RatioCurve, IsStraightOverTheLogarithm) {
  const RatioCurve curve({{0.1, 3}, {0.001, 1}});
  EXPECT_DOUBLE_EQ(curve.at(0.01), 2);
}

TEST(RatioCurve, IsConstantBeyondItsPoints) {
  const RatioCurve curve({{0.1, 3}, {0.001, 1}});
  EXPECT_EQ(curve.at(1e-6), 1);
  EXPECT_EQ(curve.at(1), 3);
}

TEST(RatioCurve, OfOnePointIsConstant) { EXPECT_EQ(RatioCurve({{0.1, 3}}).at(0.5), 3); }

TEST(RatioCurve, RisingLeavesPointsInOrderAlone) {
  const RatioCurve curve = RatioCurve::rising({{0.001, 1}, {0.01, 2}, {0.1, 2}});
  EXPECT_EQ(curve.at(0.001), 1);
  EXPECT_EQ(curve.at(0.01), 2);
}

TEST(RatioCurve, RisingGivesPointsOutOfOrderTheirMean) {  // 4 and 2 share 3
  const RatioCurve curve = RatioCurve::rising({{0.001, 1}, {0.004, 4}, {0.01, 2}, {0.1, 5}});
  EXPECT_EQ(curve.at(0.001), 1);
  EXPECT_EQ(curve.at(0.004), 3);
  EXPECT_EQ(curve.at(0.01), 3);
  EXPECT_EQ(curve.at(0.1), 5);
}

TEST(RatioCurve, RisingPoolsBackwardsAsFarAsItMust) {  // 2, 3, then 1: all share 2
  const RatioCurve curve = RatioCurve::rising({{0.001, 2}, {0.01, 3}, {0.1, 1}});
  for (const double ratio : {0.001, 0.01, 0.1}) EXPECT_EQ(curve.at(ratio), 2);
}

}  // namespace
}  // namespace policies
