// Fronts of time and cost, knees, and limits.
#include "policies/planning_policy.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tests/policies/planning_job.hpp"

namespace policies {
namespace {

using Indices = std::vector<std::size_t>;

/// Hours and dollars.
std::vector<Prediction> predictions(const std::vector<std::pair<double, double>>& points) {
  std::vector<Prediction> made;
  for (const auto& [time, cost] : points) made.push_back({1, {1}, {time}, {cost}});
  return made;
}

TEST(TimeCostFront, LeavesOutWhatIsBeatenInBoth) {
  EXPECT_EQ(time_cost_front(predictions({{3, 1}, {1, 3}, {2, 4}, {2, 2}})), (Indices{1, 3, 0}));
}

TEST(TimeCostFront, KeepsTheFirstOfEquals) {
  EXPECT_EQ(time_cost_front(predictions({{1, 1}, {1, 1}})), (Indices{0}));
}

// Scavenger, Fig. 10, ResNet18 with B = 512: K 8, 12, 16; its text gives K = 12.
TEST(Kneedle, FindsThePublishedKneeOfResNet18) {
  const auto made = predictions({{10.51, 11.3}, {7.69, 12.4}, {6.60, 14.2}});
  EXPECT_EQ(kneedle(made, time_cost_front(made)), 1U);
}

// Scaled to [0, 1], times are 0, 0.1, 0.3, 0.7, 1 and costs 1, 0.6, 0.3, 0.2, 0; below the line 1 - time -
// cost they lie 0, 0.3, 0.4, 0.1, 0 deep. With times and costs exchanged the same point is the knee.
TEST(Kneedle, IsThePointDeepestBelowTheLineOfTheScaledEnds) {
  const auto falls = predictions({{1000, 10}, {2000, 6}, {4000, 3}, {8000, 2}, {11000, 0}});
  EXPECT_EQ(kneedle(falls, time_cost_front(falls)), 2U);
  const auto exchanged = predictions({{10, 1000}, {6, 2000}, {3, 4000}, {2, 8000}, {0, 11000}});
  EXPECT_EQ(kneedle(exchanged, time_cost_front(exchanged)), 2U);
}

// A time of 0.5 costs as little depth as a cost of 0.5: 1 - 0.5 - 0.2 against 1 - 0.3 - 0.5.
TEST(Kneedle, WeighsTimeAndCostAlike) {
  const auto made = predictions({{0, 10}, {3, 5}, {5, 2}, {10, 0}});
  EXPECT_EQ(kneedle(made, time_cost_front(made)), 2U);
  const auto mirrored = predictions({{0, 10}, {2, 5}, {5, 3}, {10, 0}});
  EXPECT_EQ(kneedle(mirrored, time_cost_front(mirrored)), 1U);
}

TEST(Kneedle, IsTheFirstOfPointsThatAreEquallyDeep) {
  const auto made = predictions({{0, 8}, {2, 4}, {4, 2}, {8, 0}});
  EXPECT_EQ(kneedle(made, time_cost_front(made)), 1U);
}

TEST(Kneedle, IsTheCheapestWhereNothingBendsInward) {
  const auto made = predictions({{1, 3}, {2, 2.5}, {3, 1}});
  EXPECT_EQ(kneedle(made, time_cost_front(made)), 2U);
}

TEST(ChooseTraining, FollowsTheObjective) {
  const auto made = predictions({{10, 1}, {2, 2}, {1, 9}});
  EXPECT_EQ(choose_training(made, PlanningObjective::time), 2U);
  EXPECT_EQ(choose_training(made, PlanningObjective::cost), 0U);
  EXPECT_EQ(choose_training(made, PlanningObjective::knee), 1U);
}

TEST(ChooseTraining, KeepsADeadlineAndABudget) {
  const auto made = predictions({{10, 1}, {2, 2}, {1, 9}});
  EXPECT_EQ(choose_training(made, PlanningObjective::cost, {.time = netmodels::Seconds{5}, .cost = {}}), 1U);
  EXPECT_EQ(choose_training(made, PlanningObjective::time, {.time = {}, .cost = netmodels::Dollars{5}}), 1U);
}

TEST(ChooseTraining, LeavesOutWhatNeverEnds) {
  const double never = std::numeric_limits<double>::infinity();
  EXPECT_EQ(choose_training(predictions({{never, never}, {5, 5}}), PlanningObjective::knee, {}), 1U);
  EXPECT_FALSE(choose_training(predictions({{never, never}}), PlanningObjective::time, {}).has_value());
}

TEST(ChooseTraining, FindsNothingWhereLimitsCannotBeKept) {
  const auto made = predictions({{10, 1}, {2, 2}});
  EXPECT_EQ(choose_training(made, PlanningObjective::time, {.time = netmodels::Seconds{1}, .cost = {}}),
            std::nullopt);
}

}  // namespace
}  // namespace policies
