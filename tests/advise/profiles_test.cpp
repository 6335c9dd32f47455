// Profiles by tables and by the simulator.
#include "sim/advise/profiles.hpp"

#include <gtest/gtest.h>

#include "tests/advise/planned.hpp"

namespace sim::advise {
namespace {

// Scavenger, Fig. 10 with Fig. 8, ResNet18, K = 8, B = 384: tau = 12.40 h x 384 / (230.4 x 50000) = 1.488 s.
TEST(ProfilesOfTable, StepsFollowFromTimesWhereTheyWereNotMeasured) {
  const scenario::Plan plan = shipped("papers/scavenger_fig10.yaml");
  const auto known = profiles_of_table(arm_of(plan, "partial/resnet18"))->at(0);
  ASSERT_TRUE(known);
  EXPECT_NEAR(known->profile.step.count, 1.488, 1e-9);
  EXPECT_EQ(known->truth.time, netmodels::Seconds{12.40 * 3600});
  EXPECT_EQ(known->truth.cost, netmodels::Dollars{13.3});
}

TEST(ProfilesOfTable, KeepMeasuredStepsAndSaySoWhereNoTimeIsKnown) {
  const scenario::Plan plan = shipped("papers/scavenger_fig3.yaml");
  const auto known = profiles_of_table(arm_of(plan, "ends/resnet18"))->at(0);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->profile.step, netmodels::Seconds{0.75});
  EXPECT_EQ(known->profile.sync, netmodels::Seconds{0.25});
  EXPECT_FALSE(known->truth.time);
}

TEST(ProfilesOfSimulation, WithoutALearnerPlayTheEpochsOfTheScenario) {
  const scenario::Plan plan = small();
  engine::LearnerShelf shelf(data_dir);
  const auto profiles = profiles_of_simulation(plan.arms.front(), *plan.job, shelf, nullptr);
  const auto known = profiles->at(0);  // 2 workers, batch 64: 400 steps
  ASSERT_TRUE(known) << known.error().text();
  EXPECT_EQ(known->truth.epochs, 2);
  EXPECT_NEAR(*known->truth.time / known->profile.step, 400, 1e-6);
  EXPECT_GT(known->profile.step.count, 0.030);  // 30 ms of compute and an exchange
  EXPECT_NEAR((known->profile.step - *known->profile.sync).count, 0.030, 1e-9);
  EXPECT_FALSE(known->profile.noise);
  EXPECT_NEAR(known->truth.cost->count, 2 * known->truth.time->count / 3600, 1e-12);
}

TEST(ProfilesOfSimulation, AnswerTheSameTwice) {
  const scenario::Plan plan = small();
  engine::LearnerShelf shelf(data_dir);
  const auto profiles = profiles_of_simulation(plan.arms.front(), *plan.job, shelf, nullptr);
  EXPECT_EQ(profiles->at(5)->truth.time, profiles->at(5)->truth.time);
}

// The fitted model: S(B) = 959.475 (1 + 3600.71 / B) steps to 94 %.
TEST(ProfilesOfSimulation, PlayALearnerToItsTarget) {
  const scenario::Plan plan =
      small("learner: {kind: parametric, file: resnet18_cifar10, target: 94 %, evaluate_every: 1}\n",
            {"training.epochs=300", "training.samples=50000"});
  engine::LearnerShelf shelf(data_dir);
  const auto profiles = profiles_of_simulation(plan.arms.front(), *plan.job, shelf, nullptr);
  const auto known = profiles->at(2);  // 2 workers, batch 256
  ASSERT_TRUE(known) << known.error().text();
  const double steps = 959.475 * (1 + 3600.71 / 256);
  EXPECT_NEAR(known->truth.epochs, steps * 256 / 50000, 0.01 * known->truth.epochs);
  ASSERT_TRUE(known->profile.noise);
  EXPECT_GT(*known->profile.noise, 0.5);  // b / B, where there is no noise at all
  EXPECT_LT(*known->profile.noise, 1);
}

TEST(ProfilesOfSimulation, RefuseATargetThatIsNotReached) {
  const scenario::Plan plan = small("learner: {kind: parametric, file: resnet18_cifar10, target: 94 %}\n",
                                    {"training.samples=50000"});
  engine::LearnerShelf shelf(data_dir);
  const auto known = profiles_of_simulation(plan.arms.front(), *plan.job, shelf, nullptr)->at(2);
  ASSERT_FALSE(known);
  EXPECT_EQ(
      known.error().text(),
      "learner.target: 2 workers, batch 256: 0.94 is not reached in 2 epochs; more `training.epochs`, or "
      "leave that size or batch out");
}

}  // namespace
}  // namespace sim::advise
