// Epochs over noise over the batch, against Scavenger's figures.
#include "policies/efficiency_model.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/policies/planning_job.hpp"

namespace policies {
namespace {

TEST(EfficiencyModel, GoesThroughTwoProfiles) {
  const PlanningJob job = resnet18_job();
  const std::vector<Profile> ends{job.all[0], job.all[3]};  // K 8, B 384 and 1024
  const EfficiencyModel law = EfficiencyModel::fit(job.seen(ends));
  EXPECT_NEAR(law.noise(384), 0.787, 1e-12);
  EXPECT_NEAR(law.noise(1024), 0.709, 1e-12);
  EXPECT_NEAR(law.epochs(384), 230.4, 1e-9);
  EXPECT_NEAR(law.epochs(1024), 178.2, 1e-9);
}

TEST(EfficiencyModel,
     NeverFallsBelowHalfOfTheFewestProfiledEpochs) {  // a line that would go down to 0 and beyond
  EfficiencyModel law;
  law.least_epochs = -100;
  law.epochs_per_noise = 1;
  law.noise_floor = 1;
  law.fewest_epochs = 9;
  EXPECT_EQ(law.epochs(64), 9);
  const PlanningJob job = resnet18_job();
  EXPECT_NEAR(EfficiencyModel::fit(job.seen({job.all[0], job.all[3]})).fewest_epochs, 0.5 * 178.2, 1e-9);
}

// Pooled over all twelve points, noise = 0.548 + 4.54 / sqrt(B) explains 87 %.
TEST(EfficiencyModel, FindsThePublishedNoiseOfResNet18) {
  const PlanningJob job = resnet18_job();
  const EfficiencyModel law = EfficiencyModel::fit(job.seen(job.all));
  EXPECT_NEAR(law.noise_floor, 0.548, 0.001);
  EXPECT_NEAR(law.noise_slope, 4.54, 0.01);
}

TEST(EfficiencyModel, FindsTheLawThatMadeThePoints) {
  const PlanningJob job = lawful_job({4, 8}, {256, 512, 1024});
  const EfficiencyModel law = EfficiencyModel::fit(job.seen(job.all));
  EXPECT_NEAR(law.least_epochs, 10, 1e-9);
  EXPECT_NEAR(law.epochs_per_noise, 40, 1e-9);
  EXPECT_NEAR(law.epochs(512), 10 + 40 * (0.5 + 4 / std::sqrt(512.0)), 1e-9);
}

TEST(EfficiencyModel, StaysWhatItIsBeyondTheFittedBatches) {
  const PlanningJob job = lawful_job({4}, {256, 1024});
  const EfficiencyModel law = EfficiencyModel::fit(job.seen(job.all));
  EXPECT_EQ(law.epochs(16), law.epochs(256));
  EXPECT_EQ(law.epochs(1e9), law.epochs(1024));
}

TEST(EfficiencyModel, IsConstantWhereOneBatchWasSeen) {
  const PlanningJob job = lawful_job({4, 8}, {256});
  const EfficiencyModel law = EfficiencyModel::fit(job.seen(job.all));
  EXPECT_NEAR(law.epochs(4096), job.all[0].epochs, 1e-9);
}

TEST(EfficiencyModel, NeedsNoNoiseToFitEpochsOverTheBatch) {
  PlanningJob job = lawful_job({4}, {256, 1024});
  for (Profile& profile : job.all) profile.noise.reset();
  const EfficiencyModel law = EfficiencyModel::fit(job.seen(job.all));
  EXPECT_NEAR(law.epochs(512), 10 + 40 * (0.5 + 4 / std::sqrt(512.0)), 1e-9);
}

TEST(EfficiencyModel, AsPrintedIsInProportionToTheInverseRoot) {
  const PlanningJob job = resnet18_job();
  const EfficiencyModel law = EfficiencyModel::fit(job.seen(job.all), true);
  EXPECT_EQ(law.noise_floor, 0);
  EXPECT_NEAR(law.noise(384) / law.noise(1024), std::sqrt(1024.0 / 384), 1e-12);  // 1.63; measured: 1.11
}

}  // namespace
}  // namespace policies
