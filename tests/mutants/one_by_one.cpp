// Runs each test in a process of its own, for SimGrid has one engine in a process, until one fails: forked,
// not started.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace {

constexpr unsigned longest = 60;  // seconds that a test may take

std::vector<std::string> all_tests() {
  std::vector<std::string> names;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j)
      names.push_back(std::string(suite.name()) + "." + suite.GetTestInfo(j)->name());
  }
  return names;
}

bool passes(const std::string& name) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(longest);
    GTEST_FLAG_SET(filter, name);
    const int code = RUN_ALL_TESTS();
    std::fflush(nullptr);
    _exit(code);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

/// Arguments: the tests, in their order; without, all. Prints the first that fails as `FAILED  ] name`.
int main(int count, char** arguments) {
  testing::InitGoogleMock(&count, arguments);
  const std::vector<std::string> named(arguments + 1, arguments + count);
  for (const std::string& name : named.empty() ? all_tests() : named) {
    if (passes(name)) continue;
    std::printf("FAILED  ] %s\n", name.c_str());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
