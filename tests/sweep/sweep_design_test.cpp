// Points of sweeps, by hand.
#include "sim/sweep/sweep_design.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sim::sweep {
namespace {

using ::testing::ElementsAre;

SweepPlan two_axes(SweepDesign design) {
  SweepPlan plan;
  plan.axes = {{"a", {"1", "2", "3"}}, {"b", {"x", "y"}}};
  plan.design = design;
  return plan;
}

std::string design_error(const SweepPlan& plan) {
  const auto points = sweep_points(plan);
  return points ? "accepted" : points.error().text();
}

TEST(SweepDesign, AGridHoldsEveryCombinationTheLastAxisFastest) {
  EXPECT_THAT(*sweep_points(two_axes(SweepDesign::grid)),
              ElementsAre(SweepPoint{0, 0}, SweepPoint{0, 1}, SweepPoint{1, 0}, SweepPoint{1, 1},
                          SweepPoint{2, 0}, SweepPoint{2, 1}));
}

TEST(SweepDesign, OneAtATimeLeavesTheOthersAtTheirFirstValue) {
  EXPECT_THAT(*sweep_points(two_axes(SweepDesign::one_at_a_time)),
              ElementsAre(SweepPoint{0, 0}, SweepPoint{1, 0}, SweepPoint{2, 0}, SweepPoint{0, 1}));
}

TEST(SweepDesign, ALatinHypercubeUsesEachValueEquallyOften) {
  SweepPlan plan = two_axes(SweepDesign::latin_hypercube);
  plan.points = 12;
  const auto points = *sweep_points(plan);
  ASSERT_EQ(points.size(), 12U);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    for (std::size_t value = 0; value < plan.axes[axis].values.size(); ++value) {
      const auto uses =
          std::ranges::count(points, value, [&](const SweepPoint& point) { return point[axis]; });
      EXPECT_EQ(static_cast<std::size_t>(uses), 12 / plan.axes[axis].values.size());
    }
  }
  EXPECT_EQ(*sweep_points(plan), points);
  plan.seed = 2;
  EXPECT_NE(*sweep_points(plan), points);
}

TEST(SweepDesign, PointsAreSettings) {
  EXPECT_THAT(settings_of(two_axes(SweepDesign::grid).axes, {2, 1}), ElementsAre("a=3", "b=y"));
}

TEST(SweepDesign, RefusesWithTheOption) {
  EXPECT_EQ(design_error({}), "--axis: there is no axis; write for example --axis cluster.workers=4,8,16");
  SweepPlan plan = two_axes(SweepDesign::grid);
  plan.points = 3;
  EXPECT_EQ(design_error(plan), "--points: only a Latin hypercube asks for a number of points; leave it out");
  plan = two_axes(SweepDesign::latin_hypercube);
  EXPECT_EQ(
      design_error(plan),
      "--points: a Latin hypercube has as many points as are asked for; write for example --points 100");
  plan.points = 0;
  EXPECT_EQ(design_error(plan), "--points: 0 points; accepted: 1 to 1000000");
  plan = two_axes(SweepDesign::grid);
  plan.axes[1].key = "a";
  EXPECT_EQ(design_error(plan),
            "--axis a: the key has an axis already; write all its values behind one --axis");
  plan = two_axes(SweepDesign::grid);
  for (int axis = 0; axis < 20; ++axis) plan.axes.push_back({"c" + std::to_string(axis), {"1", "2"}});
  EXPECT_EQ(design_error(plan),
            "--axis: the grid has more than 1000000 points; leave out values, or let --design "
            "latin_hypercube choose some");
}

}  // namespace
}  // namespace sim::sweep
