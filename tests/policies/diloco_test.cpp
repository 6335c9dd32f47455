// Which steps of DiLoCo end with an outer step.
#include "policies/diloco.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "policies/catalogue.hpp"

namespace policies {
namespace {

std::vector<std::int64_t> outer_steps(SynchronisationPolicy& policy, std::int64_t steps) {
  std::vector<std::int64_t> found;
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto decision = policy.decide({step, {}, {}, {}});
    if (decision == Synchronisation::outer_step) found.push_back(step);
    if (decision != Synchronisation::stay_local && decision != Synchronisation::outer_step)
      ADD_FAILURE() << step;
  }
  return found;
}

TEST(DiLoCo, BeginsLocallyAndEndsEveryHthStepWithAnOuterOne) {
  DiLoCo policy({.every = 5});
  EXPECT_EQ(outer_steps(policy, 12), (std::vector<std::int64_t>{4, 9}));
}

TEST(DiLoCo, ExchangesEachFragmentAtItsOffset) {  // after steps 2, 5, 7 and 10 of ten (from 1)
  DiLoCo policy({.every = 10, .fragments = 4});
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (std::int64_t step = 0; step < 13; ++step) {
    const Decision decision = policy.decide({step, {}, {}, {}});
    if (decision == Synchronisation::outer_step) found.emplace_back(step + 1, decision.fragment);
  }
  EXPECT_EQ(found,
            (std::vector<std::pair<std::int64_t, std::int64_t>>{{2, 1}, {5, 2}, {7, 3}, {10, 0}, {12, 1}}));
}

TEST(DiLoCo, WithAsManyFragmentsAsStepsExchangesOneInEach) {
  DiLoCo policy({.every = 3, .fragments = 3});
  for (std::int64_t step = 0; step < 6; ++step)
    EXPECT_EQ(policy.decide({step, {}, {}, {}}).fragment, (step + 1) % 3) << step;
}

TEST(DiLoCo, RefusesMoreFragmentsThanStepsAndLongerDelays) {
  EXPECT_EQ(problem_of(DiLoCo::Settings{.every = 4, .fragments = 5})->what,
            "5 fragments do not fit into `every: 4` steps, of which each exchanges at most one");
  EXPECT_EQ(
      problem_of(DiLoCo::Settings{.every = 4, .delay = 5})->what,
      "an exchange that overlaps 5 steps ends after the next one of its fragment begins, 4 steps later");
  EXPECT_TRUE(problem_of(DiLoCo::Settings{.every = 4, .delay = 4}));
  EXPECT_EQ(problem_of(DiLoCo::Settings{.every = 10, .fragments = 3})->what,
            "3 fragments do not divide `every: 10` steps evenly");
  EXPECT_FALSE(problem_of(DiLoCo::Settings{.every = 4, .fragments = 4, .delay = 3}));
}

TEST(DiLoCo, EagerUpdatesOverlapTheWholeFollowingRound) {
  EXPECT_EQ((DiLoCo::Settings{.every = 7, .eager = true}).streaming(), (Streaming{1, 7, 0, true}));
  EXPECT_FALSE(problem_of(DiLoCo::Settings{.every = 7, .eager = true}));
  EXPECT_EQ(outer_steps(*std::make_unique<DiLoCo>(DiLoCo::Settings{.every = 2, .eager = true}), 5),
            (std::vector<std::int64_t>{1, 3}));
}

TEST(DiLoCo, RefusesEagerUpdatesOfFragmentsOrWithAnotherOverlap) {
  const auto text = [](const DiLoCo::Settings& settings) {
    const auto problem = problem_of(settings);
    return problem ? problem->key + ": " + problem->what + "; " + problem->hint : "accepted";
  };
  EXPECT_EQ(text({.every = 8, .fragments = 4, .eager = true}),
            "eager: eager updates are of whole models, and `fragments: 4` exchanges parts of them; leave out "
            "one of the two");
  EXPECT_EQ(text({.every = 8, .delay = 2, .eager = true}),
            "eager: eager updates overlap a whole round of 8 steps, and `delay: 2` states another overlap; "
            "leave out one of the two");
  EXPECT_EQ(text({.every = 8, .mixing = 0.5, .eager = true}),
            "eager: eager updates leave each worker its own change, and `mixing: 0.5` a share of its values; "
            "leave out one of the two");
}

TEST(DiLoCo, SaysWhichOptimizerTheOuterStepIs) {
  DiLoCo policy({.every = 1, .outer_rate = 0.01, .outer = OuterOptimizer::adam});
  const Decision decision = policy.decide({0, {}, {}, {}});
  EXPECT_EQ(decision.outer, OuterOptimizer::adam);
  EXPECT_EQ(decision.outer_rate, 0.01);
  EXPECT_EQ(DiLoCo::Settings{}.outer, OuterOptimizer::nesterov);
}

TEST(DiLoCo, WithAnHOfOneEveryStepIsOuter) {
  EXPECT_EQ(outer_steps(*std::make_unique<DiLoCo>(DiLoCo::Settings{.every = 1}), 3),
            (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(DiLoCo, ACopyAndAStepThatIsTakenAgainEndAlike) {
  DiLoCo policy({.every = 2});
  EXPECT_EQ(policy.decide({1, {}, {}, {}}), Synchronisation::outer_step);
  EXPECT_EQ(policy.decide({1, {}, {}, {}}), Synchronisation::outer_step);
  EXPECT_EQ(outer_steps(*policy.copy(), 4), (std::vector<std::int64_t>{1, 3}));
}

}  // namespace
}  // namespace policies
