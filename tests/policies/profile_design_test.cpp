// Which configurations are profiled, and the choice of a grid search.
#include "policies/profile_design.hpp"

#include <gtest/gtest.h>

#include "tests/policies/planning_job.hpp"

namespace policies {

// Edges of a grid.

namespace {

using Indices = std::vector<std::size_t>;

TEST(Designed, NamesTheEdgesOfScavengersGrid) {  // 3 sizes x 4 batches, size by size
  const PlanningJob job = resnet18_job();
  EXPECT_EQ(designed(ProfileDesign::start, job.grid), (Indices{0}));
  EXPECT_EQ(designed(ProfileDesign::three_corners, job.grid), (Indices{0, 3, 11}));
  EXPECT_EQ(designed(ProfileDesign::corners, job.grid), (Indices{0, 3, 8, 11}));
  EXPECT_EQ(designed(ProfileDesign::ends, job.grid), (Indices{0, 3, 4, 7, 8, 11}));
  EXPECT_EQ(designed(ProfileDesign::all, job.grid).size(), 12U);
}

TEST(Designed, GrowsTheClusterInWhateverOrderTheGridIsWritten) {
  const std::vector<Configuration> grid{{16, 512}, {8, 512}, {16, 256}, {8, 256}};
  EXPECT_EQ(designed(ProfileDesign::all, grid), (Indices{3, 1, 2, 0}));
}

TEST(Designed, NamesASingleConfigurationOnce) {
  const std::vector<Configuration> grid{{8, 256}};
  for (const auto design : {ProfileDesign::start, ProfileDesign::corners, ProfileDesign::ends})
    EXPECT_EQ(designed(design, grid), (Indices{0}));
}

TEST(NextUnprofiled, SkipsWhatIsKnown) {
  const PlanningJob job = resnet18_job();
  EXPECT_EQ(next_unprofiled(Indices{0, 3}, std::vector<Profile>{job.all[0]}), 3U);
  EXPECT_EQ(next_unprofiled(Indices{0}, std::vector<Profile>{job.all[0]}), std::nullopt);
}

}  // namespace

// Grid search.

namespace {

TEST(ProfileAll, ProfilesEveryConfigurationInOrderAndBelievesIt) {
  const PlanningJob job = resnet18_job();
  ProfileAll policy;
  const auto profiled = job.search(policy);
  ASSERT_EQ(profiled.size(), 12U);
  const auto predicted = policy.predict(job.seen(profiled));
  for (std::size_t index = 0; index < 12; ++index) {
    EXPECT_EQ(profiled[index].index, index);
    EXPECT_EQ(predicted[index].time, job.truth(index).time);
  }
}

}  // namespace
}  // namespace policies
