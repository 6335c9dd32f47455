// Lines through points, and the result where points do not determine them.
#include "policies/least_squares.hpp"

#include <gtest/gtest.h>

namespace policies {
namespace {

using Rows = std::vector<std::vector<double>>;

TEST(LeastSquares, GoesThroughPointsOnALine) {
  const auto found = least_squares(Rows{{1, 0}, {1, 1}, {1, 2}}, std::vector<double>{1, 3, 5});
  EXPECT_NEAR(found[0], 1, 1e-12);
  EXPECT_NEAR(found[1], 2, 1e-12);
}

TEST(LeastSquares, LiesBetweenPointsOffALine) {  // by hand: slope 1/2, mean 1
  const auto found = least_squares(Rows{{1, 0}, {1, 1}, {1, 2}}, std::vector<double>{1, 0, 2});
  EXPECT_NEAR(found[0], 0.5, 1e-12);
  EXPECT_NEAR(found[1], 0.5, 1e-12);
}

TEST(LeastSquares, GivesTheLaterOfTwoEqualColumnsNothing) {
  const auto found = least_squares(Rows{{1, 1}, {2, 2}}, std::vector<double>{3, 6});
  EXPECT_NEAR(found[0], 3, 1e-12);
  EXPECT_EQ(found[1], 0);
}

TEST(LeastSquares, UsesTheFirstColumnsWhereRowsAreFew) {
  const auto found = least_squares(Rows{{1, 4, 9}}, std::vector<double>{2});
  EXPECT_NEAR(found[0], 2, 1e-12);
  EXPECT_EQ(found[1], 0);
  EXPECT_EQ(found[2], 0);
}

TEST(LeastSquares, SkipsAColumnOfZeros) {
  const auto found = least_squares(Rows{{0, 1}, {0, 2}}, std::vector<double>{2, 4});
  EXPECT_EQ(found[0], 0);
  EXPECT_NEAR(found[1], 2, 1e-12);
}

}  // namespace
}  // namespace policies
