// main() of test programs whose tests need a process each, for SimGrid has one engine in a process: forked,
// since starting one, with all its libraries, takes longer than most tests.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fnmatch.h>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace {

/// @param patterns  as in gtest's filter, with a colon between two
bool matches(const std::string& name, const std::string& patterns) {
  std::istringstream text(patterns);
  for (std::string pattern; std::getline(text, pattern, ':');) {
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  }
  return false;
}

/// The tests that gtest would run: those that match what the filter says before its first `-`, and nothing
/// behind.
std::vector<std::string> selected_tests(const std::string& filter) {
  const std::string wanted = filter.substr(0, filter.find('-'));
  const std::string others = filter.substr(std::min(filter.size(), wanted.size() + 1));
  std::vector<std::string> names;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(j)->name();
      const bool disabled = name.find("DISABLED_") != std::string::npos;
      if (disabled && !GTEST_FLAG_GET(also_run_disabled_tests)) continue;
      if (matches(name, wanted.empty() ? "*" : wanted) && !matches(name, others))
        names.push_back(std::move(name));
    }
  }
  return names;
}

/// Says of a test that does not come to gtest's own end what run_program.py reads. @returns whether it passed
bool run_forked(const std::string& name) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    GTEST_FLAG_SET(filter, name);
    std::exit(RUN_ALL_TESTS());
  }
  int status = 0;
  const bool ended = child > 0 && waitpid(child, &status, 0) == child;
  if (ended && status == 0) return true;
  if (!ended) {
    std::printf("cannot start a process\n");
  } else if (WIFSIGNALED(status)) {
    std::printf("ended the process: signal %d\n", WTERMSIG(status));
  } else {
    std::printf("ended the process: exit code %d\n", WEXITSTATUS(status));
  }
  std::printf("[  FAILED  ] %s\n", name.c_str());
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  testing::InitGoogleMock(&count, arguments);
  const std::vector<std::string> names = selected_tests(GTEST_FLAG_GET(filter));
  if (names.size() < 2 || GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  bool passed = true;
  for (const std::string& name : names) passed = run_forked(name) && passed;
  return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
