// When elastic workers meet their centre, and how far they move.
#include "policies/easgd.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "policies/catalogue.hpp"

namespace policies {
namespace {

std::vector<std::int64_t> meetings(SynchronisationPolicy& policy, std::int64_t steps) {
  std::vector<std::int64_t> found;
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto decision = policy.decide({step, {}, {}, {}});
    if (decision == Synchronisation::average_elastically) found.push_back(step);
    if (decision != Synchronisation::stay_local && decision != Synchronisation::average_elastically)
      ADD_FAILURE() << step;
  }
  return found;
}

TEST(Easgd, MeetsAtTheBeginningOfEveryTauthStep) {
  Easgd policy({.every = 4});
  EXPECT_EQ(meetings(policy, 10), (std::vector<std::int64_t>{0, 4, 8}));
}

TEST(Easgd, WithATauOfOneEveryStepIsAMeeting) {
  EXPECT_EQ(meetings(*std::make_unique<Easgd>(Easgd::Settings{.every = 1}), 3),
            (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(Easgd, ACopyAndAStepThatIsTakenAgainMeetAlike) {
  Easgd policy({.every = 2});
  EXPECT_EQ(policy.decide({2, {}, {}, {}}), Synchronisation::average_elastically);
  EXPECT_EQ(policy.decide({2, {}, {}, {}}), Synchronisation::average_elastically);
  EXPECT_EQ(meetings(*policy.copy(), 5), (std::vector<std::int64_t>{0, 2, 4}));
}

TEST(Easgd, MovesByNineTenthsSharedAmongTheWorkers) {  // the source's beta = 0.9
  EXPECT_DOUBLE_EQ(Easgd::moving_rate(1), 0.9);
  EXPECT_DOUBLE_EQ(Easgd::moving_rate(4), 0.225);
}

TEST(Easgd, RefusesARateThatWouldMoveTheCentrePastTheMean) {
  EXPECT_FALSE(Easgd::Settings{.every = 1}.problem_with(1000).has_value());
  EXPECT_FALSE((Easgd::Settings{.every = 1, .moving_rate = 0.25}.problem_with(4).has_value()));
  const auto problem = Easgd::Settings{.every = 1, .moving_rate = 0.3}.problem_with(4);
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ(problem->key, "moving_rate");
  EXPECT_EQ(problem->what, "0.3 times 4 workers is above 1: the centre would move past their mean");
  EXPECT_EQ(problem->hint, "at most 1/workers, 0.25");
}

}  // namespace
}  // namespace policies
