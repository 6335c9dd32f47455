// Scavenger's search: its start, its predictions, and its distance from the oracle.
#include "policies/scavenger.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "policies/planning_policy.hpp"
#include "tests/policies/planning_job.hpp"

namespace policies {
namespace {

Scavenger::Settings with(ProfileDesign design) { return {.design = design}; }

/// Mean of |predicted / true time - 1| over the configurations without a profile.
double held_out_error(const PlanningJob& job, Scavenger& policy) {
  const auto profiled = job.search(policy);
  const auto predicted = policy.predict(job.seen(profiled));
  double sum = 0;
  int count = 0;
  for (std::size_t index = 0; index < job.grid.size(); ++index) {
    if (next_unprofiled(std::vector<std::size_t>{index}, profiled) == std::nullopt) continue;
    sum += std::abs(predicted[index].time / job.truth(index).time - 1);
    ++count;
  }
  return sum / count;
}

TEST(Scavenger, BeginsWithTheSmallestClusterAndBatch) {
  const PlanningJob job = resnet18_job();
  Scavenger policy(with(ProfileDesign::ends), {});
  EXPECT_EQ(policy.explore(job.seen({})), 0U);
}

TEST(Scavenger, PartialSearchPredictsResNet18WithinFivePercent) {
  const PlanningJob job = resnet18_job();
  for (const auto design : {ProfileDesign::three_corners, ProfileDesign::corners, ProfileDesign::ends}) {
    Scavenger policy(with(design), {});
    EXPECT_LT(held_out_error(job, policy), 0.05);
  }
}

TEST(Scavenger, PredictsAJobThatKeepsToTheLawsExactly) {
  const PlanningJob job = lawful_job({2, 4, 8, 16}, {128, 256, 512, 1024});
  Scavenger policy(with(ProfileDesign::corners), {});
  EXPECT_LT(held_out_error(job, policy), 1e-9);
}

// A quarter of the grid is explored, and the cheapest and the fastest configurations are found.
TEST(Scavenger, ThreeCornersComeWithinFifteenPercentOfTheOracle) {
  const PlanningJob job = resnet18_job();
  Scavenger policy(with(ProfileDesign::three_corners), {});
  const auto profiled = job.search(policy);
  EXPECT_LE(4 * profiled.size(), job.grid.size());
  std::vector<Prediction> truths;
  for (std::size_t index = 0; index < job.grid.size(); ++index) truths.push_back(job.truth(index));
  const auto predicted = policy.predict(job.seen(profiled));
  for (const auto objective : {PlanningObjective::time, PlanningObjective::cost}) {
    const auto chosen = *choose_training(predicted, objective);
    const auto oracle = *choose_training(truths, objective);
    EXPECT_LE(truths[chosen].cost / truths[oracle].cost, 1.15);
    EXPECT_LE(truths[chosen].time / truths[oracle].time, 1.15);
  }
}

TEST(Scavenger, ChangesItsChoiceWhenLargeClustersProveSlow) {
  PlanningJob job = resnet18_job();
  const auto fastest = [&] {
    Scavenger policy(with(ProfileDesign::ends), {});
    const auto profiled = job.search(policy);
    return job.grid[*choose_training(policy.predict(job.seen(profiled)), PlanningObjective::time)];
  };
  EXPECT_EQ(fastest(), (Configuration{16, 1024}));
  for (std::size_t index = 8; index < 12; ++index) job.all[index].step *= 2;
  EXPECT_EQ(fastest(), (Configuration{12, 1024}));
}

TEST(Scavenger, NoSearchProfilesTheStartAndTakesTheShapeOfAnotherJob) {
  const PlanningJob known = lawful_job({2, 4, 8}, {128, 256, 512});
  PlanningJob job = known;  // twice the epochs, three times the step
  for (Profile& profile : job.all) {
    profile.epochs *= 2;
    profile.step *= 3;
  }
  Scavenger policy({.stored = {"known"}}, {.stored = {known.seen(known.all)}});
  const auto profiled = job.search(policy);
  ASSERT_EQ(profiled.size(), 1U);
  const auto predicted = policy.predict(job.seen(profiled));
  for (std::size_t index = 0; index < job.grid.size(); ++index)
    EXPECT_NEAR(predicted[index].time / job.truth(index).time, 1, 1e-9);
}

}  // namespace
}  // namespace policies
