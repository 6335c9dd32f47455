// Interruptions: the first signal raises a flag, the second one, or two seconds, end the program.
#include "command_line/interruption.hpp"

#include <csignal>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/time.h>

namespace command_line {
namespace {

TEST(Interruption, TheFirstSignalRaisesTheFlagAndIsTheExitCode) {
  const std::atomic<bool>& stop = catch_interruptions();
  EXPECT_FALSE(stop);
  EXPECT_FALSE(interrupted());
  ASSERT_EQ(std::raise(SIGTERM), 0);
  EXPECT_TRUE(stop);
  EXPECT_EQ(interrupted(), 143);
}

TEST(Interruption, TheSecondSignalEndsTheProgramWhicheverItIs) {
  const auto twice = [](int first, int second) {
    catch_interruptions();
    std::raise(first);
    std::raise(second);
  };
  EXPECT_EXIT(twice(SIGINT, SIGINT), testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(twice(SIGTERM, SIGINT), testing::KilledBySignal(SIGINT), "");
}

/// Whether the program would still be ended by a clock.
bool is_limited() {
  itimerval computing{};
  getitimer(ITIMER_PROF, &computing);
  return computing.it_value.tv_sec > 0 || computing.it_value.tv_usec > 0 || alarm(0) > 0;
}

TEST(Interruption, AProgramThatDoesNotLookAtTheFlagEndsAfterTwoSeconds) {
  const auto busy = [] {
    catch_interruptions();
    std::raise(SIGTERM);
    [[maybe_unused]] volatile unsigned work = 0;
    for (;;) work = 1;
  };
  EXPECT_EXIT(busy(), testing::ExitedWithCode(143),
              "interrupted: the work under way did not stop within 2 s");
}

TEST(Interruption, AProgramThatLookedAtTheFlagHasTheTimeItNeeds) {
  catch_interruptions();
  ASSERT_EQ(std::raise(SIGINT), 0);
  EXPECT_TRUE(is_limited());
  EXPECT_EQ(interrupted(), 130);
  EXPECT_FALSE(is_limited());
}

TEST(Interruption, AMeasurementIsNotCutShort) {
  catch_interruptions(Grace::unlimited);
  ASSERT_EQ(std::raise(SIGINT), 0);
  EXPECT_FALSE(is_limited());
}

}  // namespace
}  // namespace command_line
