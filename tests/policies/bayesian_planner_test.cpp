// Bayesian search: where it begins, that it looks where gains are, and that it ends.
#include "policies/bayesian_planner.hpp"

#include <gtest/gtest.h>

#include "tests/policies/planning_job.hpp"

namespace policies {
namespace {

TEST(BayesianPlanner, BeginsWithThreeCorners) {
  const PlanningJob job = resnet18_job();
  BayesianPlanner policy({}, {});
  const auto profiled = job.search(policy);
  ASSERT_GE(profiled.size(), 6U);
  EXPECT_EQ(profiled[0].index, 0U);
  EXPECT_EQ(profiled[1].index, 3U);
  EXPECT_EQ(profiled[2].index, 11U);
}

TEST(BayesianPlanner, FindsTheCheapestAndTheFastestOfResNet18) {
  const PlanningJob job = resnet18_job();
  for (const auto& [objective, best] : {std::pair(PlanningObjective::cost, Configuration{8, 1024}),
                                        std::pair(PlanningObjective::time, Configuration{16, 1024})}) {
    BayesianPlanner policy({}, {.objective = objective});
    const auto profiled = job.search(policy);
    EXPECT_LT(profiled.size(), 12U);
    const auto chosen = choose_training(policy.predict(job.seen(profiled)), objective);
    EXPECT_EQ(job.grid[*chosen], best);
  }
}

TEST(BayesianPlanner, LooksElsewhereWhenTheGainsAreElsewhere) {
  PlanningJob job = lawful_job({2, 4, 8, 16, 32}, {128, 256, 512, 1024, 2048});
  BayesianPlanner calm({}, {.objective = PlanningObjective::time});
  const auto before = job.search(calm);
  for (Profile& profile : job.all) {
    if (job.grid[profile.index].workers > 8) profile.step *= 20;
  }
  BayesianPlanner surprised({}, {.objective = PlanningObjective::time});
  const auto after = job.search(surprised);
  EXPECT_NE(before[3].index, after[3].index);
}

TEST(BayesianPlanner, GoesOnUntilEnoughIsProfiled) {
  const PlanningJob job = resnet18_job();
  BayesianPlanner policy({.min_profiles = 12}, {});
  EXPECT_EQ(job.search(policy).size(), 12U);
}

}  // namespace
}  // namespace policies
