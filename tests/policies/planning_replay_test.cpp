// Properties of every planner: the same past gives the same search, a copy is independent, and it ends.
#include <functional>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "policies/bayesian_planner.hpp"
#include "policies/goodput.hpp"
#include "policies/profile_design.hpp"
#include "policies/scavenger.hpp"
#include "tests/policies/planning_job.hpp"

namespace policies {
namespace {

struct NamedPlanner {
  std::string name;
  std::function<std::unique_ptr<PlanningPolicy>()> make;
};

void PrintTo(const NamedPlanner& named, std::ostream* out) { *out << named.name; }

class EveryPlanner : public testing::TestWithParam<NamedPlanner> {};

TEST_P(EveryPlanner, SearchesTheSameTwiceAndAfterACopy) {
  const PlanningJob job = resnet18_job();
  const auto first = GetParam().make();
  const auto second = GetParam().make();
  std::vector<Profile> profiled;
  while (true) {
    const auto copy = first->copy();
    const auto next = first->explore(job.seen(profiled));
    EXPECT_EQ(next, second->explore(job.seen(profiled)));
    EXPECT_EQ(next, copy->explore(job.seen(profiled)));
    if (!next) break;
    profiled.push_back(job.all[*next]);
  }
  const auto one = first->predict(job.seen(profiled));
  const auto two = second->copy()->predict(job.seen(profiled));
  for (std::size_t index = 0; index < one.size(); ++index) EXPECT_EQ(one[index].time, two[index].time);
}

TEST_P(EveryPlanner, AsksForEachConfigurationAtMostOnceAndPredictsAll) {
  for (const PlanningJob& job :
       {resnet18_job(), lawful_job({4}, {256}), lawful_job({1, 3}, {64, 100, 700})}) {
    const auto policy = GetParam().make();
    const auto profiled = job.search(*policy);
    std::set<std::size_t> seen;
    for (const Profile& profile : profiled) EXPECT_TRUE(seen.insert(profile.index).second);
    ASSERT_FALSE(profiled.empty());
    const auto predicted = policy->predict(job.seen(profiled));
    ASSERT_EQ(predicted.size(), job.grid.size());
    for (const Prediction& prediction : predicted) {
      EXPECT_GT(prediction.time.count, 0);
      EXPECT_GT(prediction.cost.count, 0);
    }
  }
}

template <class Policy, class... S>
NamedPlanner planning_by(std::string name, S... settings) {
  return {std::move(name), [=] { return std::make_unique<Policy>(settings..., PlanningQuestion{}); }};
}

INSTANTIATE_TEST_SUITE_P(
    Planning, EveryPlanner,
    testing::Values(planning_by<Scavenger>("scavenger", Scavenger::Settings{}),
                    planning_by<Scavenger>("scavenger_as_printed",
                                           Scavenger::Settings{.design = ProfileDesign::corners,
                                                               .as_printed = true}),
                    planning_by<ProfileAll>("grid", settings::None{}),
                    planning_by<BayesianPlanner>("bayesian", BayesianPlanner::Settings{}),
                    planning_by<Goodput>("goodput", settings::None{})),
    [](const auto& made) { return made.param.name; });

}  // namespace
}  // namespace policies
