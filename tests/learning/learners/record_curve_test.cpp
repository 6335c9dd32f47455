// Values between known points, by hand.
#include "learning/learners/record_curve.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace learning::learners {
namespace {

const Curve curve{{1, 10}, {3, 20}, {7, 0}};

TEST(RecordCurve, IsLinearBetweenKnots) {
  EXPECT_DOUBLE_EQ(*value_within(curve, 1), 10);
  EXPECT_DOUBLE_EQ(*value_within(curve, 2), 15);
  EXPECT_DOUBLE_EQ(*value_within(curve, 3), 20);
  EXPECT_DOUBLE_EQ(*value_within(curve, 4), 15);
  EXPECT_DOUBLE_EQ(*value_within(curve, 7), 0);
}

TEST(RecordCurve, KnowsNothingOutsideItsKnots) {
  EXPECT_FALSE(value_within(curve, 0.999).has_value());
  EXPECT_FALSE(value_within(curve, 7.001).has_value());
  EXPECT_FALSE(value_within({}, 1).has_value());
}

TEST(RecordCurve, ClampedKeepsTheOutermostValues) {
  EXPECT_EQ(value_clamped(curve, -5), 10);
  EXPECT_EQ(value_clamped(curve, 100), 0);
}

TEST(RecordCurve, MeanToOneIsTheAreaUnderItsPieces) {
  EXPECT_DOUBLE_EQ(mean_to_one({{0.3, 4}}), 4);
  EXPECT_DOUBLE_EQ(mean_to_one({{0, 0}, {1, 2}}), 1);
  EXPECT_DOUBLE_EQ(mean_to_one({{0.5, 1}, {1.5, 5}}), 0.5 * 1 + 0.5 * 2);
  EXPECT_DOUBLE_EQ(mean_to_one({{2, 1}, {3, 5}}), 1);
}

TEST(RecordCurve, RatiosAreLinearInTheirLogarithmAndOneAtOne) {
  const Curve gains{{0.001, 0.1}, {0.1, 0.5}};
  EXPECT_DOUBLE_EQ(*value_at_ratio(gains, 0.01), 0.3);
  EXPECT_DOUBLE_EQ(*value_at_ratio(gains, 0.1), 0.5);
  EXPECT_NEAR(*value_at_ratio(gains, std::sqrt(0.1)), 0.75, 1e-12);
  EXPECT_EQ(value_at_ratio(gains, 1), 1.0);
}

TEST(RecordCurve, RatiosBelowTheSmallestAreUnknownUnlessClamped) {
  const Curve gains{{0.001, 0.1}, {0.1, 0.5}};
  EXPECT_FALSE(value_at_ratio(gains, 0.0009).has_value());
  EXPECT_EQ(value_at_ratio_clamped(gains, 0.0009), 0.1);
  EXPECT_FALSE(value_at_ratio({}, 0.5).has_value());
  EXPECT_EQ(value_at_ratio({}, 1), 1.0);
}

TEST(RecordCurve, AKnotAtRatioOneStandsForWhatIsTrueThere) {
  EXPECT_EQ(value_at_ratio({{0.1, 3}}, 1), 1);
  EXPECT_EQ(value_at_ratio({{1, 3}}, 1), 3);
  EXPECT_EQ(value_at_ratio({{1, 3}}, 0.5), std::nullopt);
}

}  // namespace
}  // namespace learning::learners
