// The simplex search: the bottom of a bowl, and of Rosenbrock's bent valley.
#include "calibrate/fits/simplex_search.hpp"

#include <gtest/gtest.h>

namespace calibrate::fits {
namespace {

TEST(SimplexSearch, FindsTheBottomOfABowl) {
  const auto bowl = [](const std::vector<double>& at) {
    return (at[0] - 3) * (at[0] - 3) + 10 * (at[1] + 1) * (at[1] + 1) + at[2] * at[2];
  };
  const auto bottom = minimise(bowl, {0, 0, 5}, 1, 1000);
  EXPECT_NEAR(bottom[0], 3, 1e-4);
  EXPECT_NEAR(bottom[1], -1, 1e-4);
  EXPECT_NEAR(bottom[2], 0, 1e-4);
}

TEST(SimplexSearch, FollowsRosenbrocksValley) {
  const auto valley = [](const std::vector<double>& at) {
    const double across = at[1] - at[0] * at[0];
    return 100 * across * across + (1 - at[0]) * (1 - at[0]);
  };
  const auto bottom = minimise(valley, {-1.2, 1}, 0.5, 2000);
  EXPECT_NEAR(bottom[0], 1, 1e-3);
  EXPECT_NEAR(bottom[1], 1, 2e-3);
}

}  // namespace
}  // namespace calibrate::fits
