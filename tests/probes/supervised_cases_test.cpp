// Cases in a child process that hang, crash, fail, or leave processes behind. Limits are reached only by
// cases that never end.
#include "calibrate/probes/supervised_cases.hpp"

#include <csignal>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::probes {
namespace {

using netmodels::Seconds;

constexpr Seconds short_limit{0.2}, long_limit{200};

[[noreturn]] void hang() {
  for (;;) pause();
}

/// "case 3 of a child begun at 2".
SupervisedCases::SetUp plain(const std::function<void(std::size_t)>& before = {}) {
  return [before](std::size_t first) -> SupervisedCases::Work {
    return [before, first](std::size_t number) {
      if (before) before(number);
      return "case " + std::to_string(number) + " of a child begun at " + std::to_string(first);
    };
  };
}

std::string result_of(SupervisedCases& cases, std::size_t number) {
  try {
    return cases.run(number);
  } catch (const std::runtime_error& failure) {
    return std::string("failed: ") + failure.what();
  }
}

TEST(SupervisedCases, AreServedByOneChild) {
  SupervisedCases cases(plain(), long_limit);
  EXPECT_EQ(result_of(cases, 0), "case 0 of a child begun at 0");
  EXPECT_EQ(result_of(cases, 1), "case 1 of a child begun at 0");
}

TEST(SupervisedCases, ThatHangIsKilledAndTheNextHasANewChild) {
  SupervisedCases cases(plain([](std::size_t number) {
                          if (number == 1) hang();
                        }),
                        short_limit);
  EXPECT_EQ(result_of(cases, 0), "case 0 of a child begun at 0");
  EXPECT_EQ(result_of(cases, 1), "failed: it did not end within 0.2 s; its process group was killed");
  EXPECT_EQ(result_of(cases, 2), "case 2 of a child begun at 2");
}

TEST(SupervisedCases, ThatCrashIsNamedByItsSignal) {
  SupervisedCases cases(plain([](std::size_t number) {
                          if (number == 0) raise(SIGKILL);
                          if (number == 1) _exit(7);
                        }),
                        long_limit);
  EXPECT_EQ(result_of(cases, 0), "failed: its process was ended by signal 9");
  EXPECT_EQ(result_of(cases, 1), "failed: its process ended with exit code 7");
  EXPECT_EQ(result_of(cases, 2), "case 2 of a child begun at 2");
}

TEST(SupervisedCases, ThatFailsLeavesTheChildAtWork) {
  SupervisedCases cases(plain([](std::size_t number) {
                          if (number == 0) throw std::runtime_error("ncclAllReduce: unhandled system error");
                        }),
                        long_limit);
  EXPECT_EQ(result_of(cases, 0), "failed: ncclAllReduce: unhandled system error");
  EXPECT_EQ(result_of(cases, 1), "case 1 of a child begun at 0");
}

TEST(SupervisedCases, WithoutWhatTheyShareSaySoByATypeOfTheirOwn) {
  SupervisedCases cases([](std::size_t) -> SupervisedCases::Work { throw std::runtime_error("no device"); },
                        long_limit);
  EXPECT_THROW(cases.run(0), SetUpError);
  EXPECT_EQ(result_of(cases, 1), "failed: no device");
}

/// Whether a process has ended, reaped or not.
bool is_dead(pid_t process) {
  std::string line;
  std::getline(std::ifstream("/proc/" + std::to_string(process) + "/stat") >> std::ws, line);
  const std::size_t name_end = line.rfind(')');
  return name_end == std::string::npos || line[name_end + 2] == 'Z' || line[name_end + 2] == 'X';
}

TEST(SupervisedCases, ThatHangsEndsWithWhatItStarted) {
  SupervisedCases cases(
      [](std::size_t) -> SupervisedCases::Work {
        return [](std::size_t number) {
          if (number == 1) hang();
          const pid_t started = fork();
          if (started == 0) hang();
          return std::to_string(started);
        };
      },
      short_limit);
  const pid_t started = std::stoi(cases.run(0));
  EXPECT_FALSE(is_dead(started));
  EXPECT_THAT(result_of(cases, 1), testing::StartsWith("failed: it did not end"));
  while (!is_dead(started)) usleep(1000);  // a signal takes its time
}

TEST(SupervisedCases, GiveResultsLongerThanAPipeHolds) {
  SupervisedCases cases(
      [](std::size_t) -> SupervisedCases::Work {
        return [](std::size_t number) { return std::string(1'000'000 * number, 'x'); };
      },
      long_limit);
  EXPECT_EQ(cases.run(1).size(), 1'000'000U);
  EXPECT_EQ(cases.run(0).size(), 0U);
}

}  // namespace
}  // namespace calibrate::probes
