// When post-local SGD averages gradients, and when parameters.
#include "policies/post_local.hpp"

#include <gtest/gtest.h>

#include "policies/catalogue.hpp"
#include "tests/policies/synchronisations.hpp"

namespace policies {
namespace {

using Unit = settings::Moment::Unit;

TEST(PostLocal, AveragesGradientsInEveryStepUntilItsMoment) {
  PostLocal policy({.every = 3, .local_from = {Unit::step, 4}});
  for (std::int64_t step = 0; step < 4; ++step)
    EXPECT_EQ(policy.decide({step, {}, {}, {}}), Synchronisation::average_gradients) << step;
  EXPECT_EQ(policy.decide({4, {}, {}, {}}), kLocal);
  EXPECT_EQ(policy.decide({5, {}, {}, {}}), kExchange);
  EXPECT_EQ(policy.decide({6, {}, {}, {}}), kLocal);
  EXPECT_EQ(policy.decide({8, {}, {}, {}}), kExchange);
}

TEST(PostLocal, CountsEpochs) {
  PostLocal policy({.every = 2, .local_from = {Unit::epoch, 1.5}});
  EXPECT_EQ(policy.decide({10, {}, {}, {}, 1.4}), Synchronisation::average_gradients);
  EXPECT_EQ(policy.decide({11, {}, {}, {}, 1.5}), kExchange);
  EXPECT_EQ(policy.copy()->decide({12, {}, {}, {}, 1.6}), kLocal);
}

TEST(PostLocal, HasNoClock) {
  const auto problem = problem_of(PostLocal::Settings{.local_from = {Unit::time, 3}});
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ(problem->key, "local_from");
  EXPECT_EQ(problem->what, "local steps begin at a step or an epoch, not at a time");
  EXPECT_FALSE(problem_of(PostLocal::Settings{.local_from = {Unit::step, 3}}));
}

}  // namespace
}  // namespace policies
