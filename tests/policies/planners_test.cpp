// The rows of the planners: whom they ask, and how they are called where several of one name are compared.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/planner_row.hpp"
#include "policies/scavenger.hpp"
#include "tests/policies/described_keys.hpp"

namespace policies {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PlannerChoice planner(std::string_view name) { return *settings::find_row(planners(), name); }

PlannerChoice scavenger(Scavenger::Settings settings) {
  return {*settings::find_row(planners(), "scavenger"), std::move(settings)};
}

TEST(Planners, OnlyScavengerWantsTheProfilesOfOtherJobsAndOnlyWhereItIsToldOfThem) {
  EXPECT_THAT(stored_jobs(scavenger({.stored = {"resnet18", "vgg11"}})), ElementsAre("resnet18", "vgg11"));
  EXPECT_THAT(stored_jobs(scavenger({})), IsEmpty());
  for (const std::string_view other : {"grid", "bayesian", "goodput"})
    EXPECT_THAT(stored_jobs(planner(other)), IsEmpty()) << other;
}

TEST(Planners, LabelsTellSearchesOfOnePlannerApart) {
  EXPECT_EQ(label_of(scavenger({})), "scavenger (ends)");
  EXPECT_EQ(label_of(scavenger({.stored = {"vgg11"}})), "scavenger (no search)");
  EXPECT_EQ(label_of(scavenger({.as_printed = true})), "scavenger (ends, as published)");
  EXPECT_EQ(label_of(planner("grid")), "grid");
  EXPECT_EQ(label_of(planner("goodput")), "goodput");
}

TEST(Planners, AreChosenByTheKeyMethodAndScavengerWhereItIsNotStated) {
  EXPECT_EQ(described_defaults(PlannerChoice()).at("method"), "scavenger");
  EXPECT_EQ(PlannerChoice().name(), "scavenger");
}

}  // namespace
}  // namespace policies
