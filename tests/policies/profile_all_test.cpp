// Grid search.
#include "policies/profile_all.hpp"

#include <gtest/gtest.h>

#include "tests/policies/planning_job.hpp"

namespace policies {
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
