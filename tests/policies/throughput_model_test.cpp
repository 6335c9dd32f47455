// Step times over cluster size and batch, against Scavenger's Fig. 3.
#include "policies/throughput_model.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/policies/planning_job.hpp"

namespace policies {
namespace {

/// Fig. 3 of Scavenger (Tyagi & Sharma, CCGrid 2023), Transformer: step and sync in seconds.
PlanningJob transformer_fig3() {
  constexpr int sizes[] = {8, 12, 16};
  constexpr int batches[] = {512, 768, 1024, 1280};
  constexpr double step[3][4] = {
      {1.88, 2.83, 3.60, 4.32}, {1.94, 3.02, 3.99, 4.87}, {2.17, 3.17, 4.09, 5.18}};
  constexpr double sync[3][4] = {{.63, 1.01, .95, 1.35}, {.67, 1.09, 1.15, 1.54}, {.84, 1.17, 1.24, 1.79}};
  PlanningJob job;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t b = 0; b < 4; ++b) {
      job.all.push_back({job.grid.size(), {step[k][b]}, netmodels::Seconds{sync[k][b]}, std::nullopt, 1});
      job.grid.push_back({sizes[k], batches[b]});
    }
  }
  return job;
}

TEST(ThroughputModel, FindsTheLawThatMadeThePointsFromFourCorners) {
  const PlanningJob job = lawful_job({4, 8, 16}, {256, 512, 1024});
  const std::vector<Profile> corners{job.all[0], job.all[2], job.all[6], job.all[8]};
  const ThroughputModel law = ThroughputModel::fit(job.seen(corners));
  EXPECT_NEAR(law.coefficients().share, 0.01, 1e-9);
  EXPECT_NEAR(law.coefficients().workers, 0.02, 1e-9);
  EXPECT_NEAR(law.coefficients().batch, 0.0002, 1e-9);
  for (const Profile& profile : job.all)
    EXPECT_NEAR(law.step(job.grid[profile.index]).count, profile.step.count, 1e-9);
}

TEST(ThroughputModel, FindsItAlsoWhereSyncWasNotToldApart) {
  PlanningJob job = lawful_job({4, 8, 16}, {256, 512, 1024});
  for (Profile& profile : job.all) profile.sync.reset();
  const std::vector<Profile> corners{job.all[0], job.all[2], job.all[6], job.all[8]};
  const ThroughputModel law = ThroughputModel::fit(job.seen(corners));
  EXPECT_NEAR(law.step(job.grid[4]).count, job.all[4].step.count, 1e-9);
}

TEST(ThroughputModel, GoesThroughEveryProfile) {
  const PlanningJob job = resnet18_job();
  const ThroughputModel law = ThroughputModel::fit(job.seen(job.all));
  for (const Profile& profile : job.all)
    EXPECT_NEAR(law.step(job.grid[profile.index]).count, profile.step.count, 1e-9);
}

TEST(ThroughputModel, IsALineOverTheBatchBetweenTwoProfilesOfOneSize) {
  const PlanningJob job = resnet18_job();
  const std::vector<Profile> ends{job.all[0], job.all[3], job.all[4], job.all[7], job.all[8], job.all[11]};
  const ThroughputModel law = ThroughputModel::fit(job.seen(ends));
  const double low = job.all[4].step.count;
  const double high = job.all[7].step.count;
  EXPECT_NEAR(law.step({12, 704}).count, (low + high) / 2, 1e-9);
}

TEST(ThroughputModel, CarriesWhatItMissesToSizesBetween) {
  PlanningJob job = lawful_job({4, 8, 16}, {256, 512, 1024});
  for (const std::size_t index : {6, 7, 8}) job.all[index].step += netmodels::Seconds{1};
  const std::vector<Profile> seen{job.all[0], job.all[1], job.all[2], job.all[6], job.all[7], job.all[8]};
  const ThroughputModel law = ThroughputModel::fit(job.seen(seen));
  const double above = law.step({12, 512}).count;
  EXPECT_GT(above, job.all[4].step.count);
  EXPECT_LT(above, job.all[7].step.count);
}

// The printed form lets sync grow with K alone: at K = 8 it gives one sync for all batches, measured are .63
// to 1.35 s.
TEST(ThroughputModel, AsPrintedMissesTheGrowthOfSyncWithTheBatch) {
  const PlanningJob job = transformer_fig3();
  const auto worst = [&](const ThroughputModel& law) {
    double most = 0;
    for (const Profile& profile : job.all) {
      const double predicted = law.step(job.grid[profile.index]).count;
      most = std::max(most, std::abs(predicted / profile.step.count - 1));
    }
    return most;
  };
  const std::vector<Profile> corners{job.all[0], job.all[3], job.all[8], job.all[11]};
  EXPECT_EQ(ThroughputModel::fit(job.seen(corners), true).coefficients().batch, 0);
  EXPECT_LT(worst(ThroughputModel::fit(job.seen(corners))), 0.08);
  EXPECT_GT(worst(ThroughputModel::fit(job.seen(corners), true)), 0.2);
}

TEST(ThroughputModel, NeverPredictsAStepOfNoTime) {
  PlanningJob job = lawful_job({4, 8}, {256, 1024});
  job.all[0].step = {4};
  job.all[1].step = {1};
  for (Profile& profile : job.all) profile.sync.reset();
  const std::vector<Profile> seen{job.all[0], job.all[1]};
  EXPECT_EQ(ThroughputModel::fit(job.seen(seen)).step({1, 100000}).count, 0.01);
}

}  // namespace
}  // namespace policies
