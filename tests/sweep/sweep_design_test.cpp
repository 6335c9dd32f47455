// Axes as written and as refused, and the points of each design.
#include "sim/sweep/sweep_design.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sim::sweep {

// Axes of sweeps: values, ranges, and what is refused.

namespace {

using ::testing::ElementsAre;

std::vector<std::string> values(std::string_view text) {
  const auto axis = parse_axis(text);
  EXPECT_TRUE(axis) << (axis ? "" : axis.error().text());
  return axis ? axis->values : std::vector<std::string>{};
}

std::string axis_error(std::string_view text) {
  const auto axis = parse_axis(text);
  return axis ? "accepted" : axis.error().text();
}

TEST(SweepAxis, TheUnitOfARangeMayStandAtBothEnds) {
  EXPECT_EQ(parse_axis("a=1Gbit/s..3 Gbit/s linear 3")->values, parse_axis("a=1..3 Gbit/s linear 3")->values);
  const auto mixed = parse_axis("a=1 Mbit/s..3 Gbit/s linear 3");
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().what,
            "`1 Mbit/s..3 Gbit/s linear 3` is not a range: its ends have different units");
}

TEST(SweepAxis, ARangeThatIsTooLongSaysHowLong) {
  EXPECT_THAT(parse_axis("seed=1..1000000000000").error().what,
              ::testing::HasSubstr(": 1000000000000 values; accepted: 2 to "));
}

TEST(SweepAxis, ListsItsValues) {
  EXPECT_EQ(parse_axis("cluster.link.bandwidth=1Gbit/s, 10 Gbit/s")->key, "cluster.link.bandwidth");
  EXPECT_THAT(values("cluster.link.bandwidth=1Gbit/s, 10 Gbit/s"), ElementsAre("1Gbit/s", "10 Gbit/s"));
  EXPECT_THAT(values("workload=resnet50,vgg16"), ElementsAre("resnet50", "vgg16"));
}

TEST(SweepAxis, CommasWithinBracketsAndQuotesPartNothing) {
  EXPECT_THAT(values("compression={method: topk, ratio: 1 %},{method: none}"),
              ElementsAre("{method: topk, ratio: 1 %}", "{method: none}"));
  EXPECT_THAT(values("cluster.speeds=[1, 2],[1, 1]"), ElementsAre("[1, 2]", "[1, 1]"));
  EXPECT_THAT(values("output='a,b',c"), ElementsAre("'a,b'", "c"));
}

TEST(SweepAxis, RangesOfWholeNumbersHoldAllOfThem) {
  EXPECT_THAT(values("seed=1..4"), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(values("seed=7,1..2"), ElementsAre("7", "1", "2"));
}

TEST(SweepAxis, RangesAreSpacedAsTheySay) {
  EXPECT_THAT(values("cluster.link.bandwidth=1..100 Gbit/s log 3"),
              ElementsAre("1 Gbit/s", "10 Gbit/s", "100 Gbit/s"));
  EXPECT_THAT(values("compression.ratio=0.1..0.5 linear 5"), ElementsAre("0.1", "0.2", "0.3", "0.4", "0.5"));
  EXPECT_THAT(values("compression.ratio=1..4 % log 3"), ElementsAre("1 %", "2 %", "4 %"));
  EXPECT_THAT(values("cluster.link.latency=0..2 ms linear 3"), ElementsAre("0 ms", "1 ms", "2 ms"));
}

TEST(SweepAxis, DotsInAPathAreNoRange) {
  EXPECT_THAT(values("workload=../mine.yaml"), ElementsAre("../mine.yaml"));
}

TEST(SweepAxis, RefusesWhatIsNone) {
  EXPECT_EQ(
      axis_error("cluster.workers"),
      "--axis: `cluster.workers` is not an axis; write KEY=VALUE,VALUE,... such as cluster.workers=4,8,16");
  EXPECT_EQ(axis_error("seed=1,,2"), "--axis seed: a value is empty; write it, or leave out a comma");
  std::string many = "seed=";
  for (int value = 1; value <= 20'000; ++value) many += fmt::format("{},", value);
  EXPECT_EQ(axis_error(many + "20001"), "accepted");
  EXPECT_EQ(axis_error(many + "77,78"), "--axis seed: duplicate value `77`; write each value once");
  EXPECT_EQ(axis_error("seed=1,2,1"), "--axis seed: duplicate value `1`; write each value once");
  const std::string hint = "; write for example `1..5`, `1..25 Gbit/s log 8` or `0.1..0.5 linear 5`";
  EXPECT_EQ(axis_error("seed=5..1"), "--axis seed: `5..1` is not a range: it does not increase" + hint);
  EXPECT_EQ(axis_error("seed=1..x"),
            "--axis seed: `1..x` is not a range: expected a number after `..`" + hint);
  EXPECT_EQ(axis_error("x=0..1 log 3"),
            "--axis x: `0..1 log 3` is not a range: `log` needs a start above 0" + hint);
  EXPECT_EQ(axis_error("x=1..9 log many"),
            "--axis x: `1..9 log many` is not a range: expected a count after `linear` or `log`" + hint);
  EXPECT_EQ(axis_error("x=1..9 ms"),
            "--axis x: `1..9 ms` is not a range: `linear` or `log` with a count may be left out only for "
            "whole numbers without a unit" +
                hint);
  EXPECT_EQ(axis_error("x=1..9 linear 1"),
            "--axis x: `1..9 linear 1` is not a range: 1 values; accepted: 2 to 100000" + hint);
}

}  // namespace

// Points of sweeps, by hand.

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
  EXPECT_EQ(design_error({}), "--axis: no axis given; write for example --axis cluster.workers=4,8,16");
  SweepPlan plan = two_axes(SweepDesign::grid);
  plan.points = 3;
  EXPECT_EQ(design_error(plan), "--points: only a Latin hypercube has a number of points; leave it out");
  plan = two_axes(SweepDesign::latin_hypercube);
  EXPECT_EQ(design_error(plan),
            "--points: a Latin hypercube needs a number of points; write for example --points 100");
  plan.points = 0;
  EXPECT_EQ(design_error(plan), "--points: 0 points; accepted: 1 to 1000000");
  plan = two_axes(SweepDesign::grid);
  plan.axes[1].key = "a";
  EXPECT_EQ(design_error(plan), "--axis a: duplicate axis; write all its values after one --axis");
  plan = two_axes(SweepDesign::grid);
  for (int axis = 0; axis < 20; ++axis) plan.axes.push_back({"c" + std::to_string(axis), {"1", "2"}});
  EXPECT_EQ(design_error(plan),
            "--axis: the grid has more than 1000000 points; leave out values, or let --design "
            "latin_hypercube choose some");
}

}  // namespace
}  // namespace sim::sweep
