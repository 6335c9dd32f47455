// Models of step times by placement, recovered; the simplex search by known minima.
#include "calibrate/fits/placement_law.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace calibrate::fits {

// The simplex search: the bottom of a bowl, and of Rosenbrock's bent valley.

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

// The placement model: its limits by hand, and a fit to its own times.

namespace {

const PlacementLaw known{{0.1}, {0.01}, {0.3}, {0.02}, {0.05}, {0.01}, 2};

TEST(PlacementLaw, LimitsAreAsByHand) {
  EXPECT_DOUBLE_EQ(predict(known, {1, 1, 10}).count, 0.2);
  PlacementLaw apart = known;
  apart.overlap = 1;
  EXPECT_DOUBLE_EQ(predict(apart, {1, 4, 10}).count, 0.2 + 0.07);
  EXPECT_DOUBLE_EQ(predict(apart, {4, 16, 10}).count, 0.2 + 0.58);
  EXPECT_NEAR(predict(known, {2, 2, 20}).count, 0.3 * std::sqrt(2), 1e-12);
}

TEST(PlacementLaw, ItsOwnTimesGiveItBack) {
  std::vector<PlacedStep> steps;
  for (const auto& [nodes, replicas] : {std::pair{1, 1}, {1, 2}, {1, 4}, {2, 2}, {2, 6}, {4, 16}}) {
    for (const double batch : {4.0, 8.0, 16.0, 32.0, 64.0}) {
      const Placement placement{nodes, replicas, batch};
      steps.push_back({placement, predict(known, placement)});
    }
  }
  const auto law = fit_placements(steps);
  ASSERT_TRUE(law) << law.error().text();
  for (const Placement& other : {Placement{3, 9, 24}, Placement{8, 32, 10}, Placement{1, 3, 50}})
    EXPECT_NEAR(predict(*law, other) / predict(known, other), 1, 0.02);
}

TEST(PlacementLaw, PlacementsThatShowNoSynchronisationAreRefused) {
  EXPECT_EQ(
      fit_placements(std::vector{PlacedStep{{1, 1, 4}, {1}}, PlacedStep{{2, 2, 4}, {1}}}).error().text(),
      "these placements do not determine the cost of synchronisation; give steps of one replica, of "
      "several on one node, and of several nodes");
}

}  // namespace
}  // namespace calibrate::fits
