// Tests of main() of programs whose tests have a process each.
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::HasSubstr;
using testing::Not;

int tests_of_this_process = 0;

TEST(ForkedMain, ATestSeesNothingOfAnother) { EXPECT_EQ(++tests_of_this_process, 1); }
TEST(ForkedMain, AnotherSeesNothingOfATest) { EXPECT_EQ(++tests_of_this_process, 1); }

// What is run below, by a program of its own.
TEST(DISABLED_Bad, IsKilled) { std::raise(SIGKILL); }
TEST(DISABLED_Bad, Exits) { std::exit(3); }
TEST(DISABLED_Bad, Fails) { FAIL() << "as it should"; }
TEST(DISABLED_Bad, PassesAndEndsBadly) {
  std::atexit([] { std::_Exit(5); });
}
TEST(DISABLED_Good, Passes) {}

/// What this program prints of some of its tests; its exit code behind it.
std::string output_of(const std::string& filter) {
  const std::string command = "exec /proc/" + std::to_string(getpid()) +
                              "/exe --gtest_also_run_disabled_tests --gtest_filter=" + filter;
  FILE* program = popen(command.c_str(), "r");
  if (program == nullptr) return "popen failed";
  std::string text;
  std::array<char, 4096> block{};
  for (std::size_t size = 0; (size = std::fread(block.data(), 1, block.size(), program)) > 0;)
    text.append(block.data(), size);
  return text + "exit code " + std::to_string(WEXITSTATUS(pclose(program)));
}

TEST(ForkedMain, NamesATestThatEndsItsProcess) {
  const std::string text = output_of("DISABLED_*");
  EXPECT_THAT(text, HasSubstr("ended the process: signal 9\n[  FAILED  ] DISABLED_Bad.IsKilled\n"));
  EXPECT_THAT(text, HasSubstr("ended the process: exit code 3\n[  FAILED  ] DISABLED_Bad.Exits\n"));
  EXPECT_THAT(text, HasSubstr("as it should\n[  FAILED  ] DISABLED_Bad.Fails"));
  EXPECT_THAT(text,
              HasSubstr("ended the process: exit code 5\n[  FAILED  ] DISABLED_Bad.PassesAndEndsBadly\n"));
  EXPECT_THAT(text, HasSubstr("[       OK ] DISABLED_Good.Passes"));
  EXPECT_THAT(text, HasSubstr("\nexit code 1"));
}

TEST(ForkedMain, RunsTheTestsOfTheFilter) {
  const std::string text = output_of("*:DISABLED_Bad.Fails-*Bad.IsKilled:*Bad.E*:*.PassesAnd*:ForkedMain.*");
  EXPECT_THAT(text, HasSubstr("[  FAILED  ] DISABLED_Bad.Fails"));
  EXPECT_THAT(text, HasSubstr("[       OK ] DISABLED_Good.Passes"));
  EXPECT_THAT(text, Not(HasSubstr("IsKilled")));
  EXPECT_THAT(text, Not(HasSubstr("ForkedMain")));
}

}  // namespace
