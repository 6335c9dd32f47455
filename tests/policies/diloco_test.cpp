// Which steps of DiLoCo end with an outer step.
#include "policies/diloco.hpp"

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
