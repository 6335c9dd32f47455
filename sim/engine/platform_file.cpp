// A dry run of a platform file in a child process, its standard error read back through a pipe.
#include "sim/engine/platform_file.hpp"

#include <simgrid/s4u.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "sim/engine/simgrid_engine.hpp"

namespace sim::engine {
namespace {

using netmodels::refuse;
using netmodels::Result;

/// The part of SimGrid's complaint that a person can use: without log prefixes and backtraces.
std::string last_words(const std::string& log) {
  std::istringstream lines(log);
  std::string line;
  std::string words;
  while (std::getline(lines, line)) {
    if (line.empty() || line.starts_with("Backtrace") || line.starts_with("  ->") || line.starts_with("Current")) continue;
    const auto bracket = line.rfind("] ");
    if (bracket != std::string::npos) line.erase(0, bracket + 2);
    if (!words.empty()) words += " ";
    words += line;
    if (words.size() > 300) break;
  }
  return words.empty() ? "it gave no reason" : words;
}

[[noreturn]] void load_and_leave(const std::string& path, int report) {
  dup2(report, STDOUT_FILENO);
  dup2(report, STDERR_FILENO);
  try {
    const SimGridEngine engine;
    engine.load(path);
    std::fflush(nullptr);
    _exit(simgrid::s4u::Engine::get_instance()->get_host_count() == 0 ? 2 : 0);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    std::fflush(nullptr);
    _exit(1);
  }
}

}  // namespace

Result<bool> try_platform_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return refuse(path, "the platform file cannot be read", "a SimGrid platform file (XML) is accepted");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const char* profile : {"bandwidth_file", "latency_file", "state_file", "availability_file", "<trace"}) {
    if (text.find(profile) == std::string::npos) continue;
    return refuse(path, std::string("the platform file has time-varying profiles of its own (") + profile + ")",
                  "state them as `cluster.traces` or `cluster.changes`, so that they are played without stalling flows");
  }
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return refuse(path, "no pipe for trying the platform file", "");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return refuse(path, "no process for trying the platform file", "");
  if (child == 0) {
    close(ends[0]);
    load_and_leave(path, ends[1]);
  }
  close(ends[1]);
  std::string log;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;) log.append(buffer.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) return refuse(path, "the platform file has no hosts", "at least one host per worker");
  return refuse(path, "SimGrid refuses the platform file: " + last_words(log), "a SimGrid 3.32 platform file (version 4.1) is accepted");
}

}  // namespace sim::engine
