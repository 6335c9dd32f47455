// Pollux's step and efficiency.
#include "policies/goodput.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/policies/planning_job.hpp"

namespace policies {
namespace {

TEST(GoodputModel, AddsComputeAndNetworkWhereGIsOneAndNearlyHidesTheShorterAtTen) {
  EXPECT_NEAR((GoodputModel{{1, 0.1, 2, 0.5, 1}}.step({4, 40}).count), 2 + 4, 1e-12);
  EXPECT_NEAR((GoodputModel{{1, 0.1, 2, 0.5, 10}}.step({4, 40}).count), 4, 0.001);
}

TEST(GoodputModel, OfOneWorkerHasNoNetwork) {
  EXPECT_EQ((GoodputModel{{1, 0.1, 2, 0.5, 1}}.step({1, 10}).count), 2);
}

TEST(GoodputModel, FitsStepsThatItCouldHaveMade) {
  PlanningJob job = lawful_job({2, 4, 8, 16}, {128, 512, 2048});
  const GoodputModel truth{{0.2, 0.01, 0.3, 0.05, 2}};
  for (Profile& profile : job.all) profile.step = truth.step(job.grid[profile.index]);
  const GoodputModel found = GoodputModel::fit(job.seen(job.all));
  for (const Profile& profile : job.all)
    EXPECT_NEAR(found.step(job.grid[profile.index]) / profile.step, 1, 0.02);
  EXPECT_LE(found.parameters[4], 10);
  EXPECT_GE(found.parameters[4], 1);
}

TEST(GoodputEfficiency, IsHalfWhereTheBatchIsTwiceTheNoiseScaleAndThenSome) {  // (100+100)/(100+300)
  EXPECT_EQ(goodput_efficiency(100, 300, 100), 0.5);
  EXPECT_EQ(goodput_efficiency(100, 100, 100), 1);
}

TEST(Goodput, BeginsAtTheSmallestCorner) {
  const PlanningJob job = resnet18_job();
  Goodput policy;
  EXPECT_EQ(policy.explore(job.seen({})), 0U);
  EXPECT_EQ(job.search(policy).size(), 4U);
}

// n = (b + N) / (B + N) at K = 8, B = 384: 0.787 (384 + N) = 48 + N gives N = 1193.
TEST(Goodput, TakesTheNoiseScaleFromTheStart) {
  const PlanningJob job = resnet18_job();
  Goodput policy;
  const auto predicted = policy.predict(job.seen(job.search(policy)));
  EXPECT_NEAR(predicted[3].epochs / predicted[0].epochs, (1193.5 + 1024) / (1193.5 + 384), 0.001);
}

TEST(Goodput, CountsBatchesAsEquallyGoodWithoutNoise) {
  PlanningJob job = resnet18_job();
  for (Profile& profile : job.all) profile.noise.reset();
  Goodput policy;
  const auto predicted = policy.predict(job.seen(job.search(policy)));
  EXPECT_EQ(predicted[3].epochs, predicted[0].epochs);
}

}  // namespace
}  // namespace policies
