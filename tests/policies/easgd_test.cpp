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

}  // namespace
}  // namespace policies
