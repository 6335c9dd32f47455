// Interruptions: the first signal raises a flag, the second one ends the program.
#include "command_line/interruption.hpp"

#include <csignal>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace command_line
