// Runs `sim check` before an import writes a scenario.
#include "calibrate/check_scenario.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sstream>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>

#include "files/output_file.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;
namespace fs = std::filesystem;

/// What a program did.
struct ProgramEnd {
  int status = 0;
  std::string errors;  ///< stderr, its begin
};

/// The two ends of a pipe, closed with it.
struct Pipe {
  std::array<int, 2> ends{-1, -1};

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) close(end);
  }
  void close_writing() { close(std::exchange(ends[1], -1)); }
};

std::string read_all(int end) {
  constexpr std::size_t most = 20'000;
  std::string text;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t got = read(end, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    if (text.size() < most) text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

/// Runs a program to its end, without its output. @returns nothing where it cannot be started or was killed
std::optional<ProgramEnd> run_quietly(std::vector<std::string> words) {
  Pipe errors;
  if (pipe2(errors.ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, errors.ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  errors.close_writing();
  ProgramEnd end{0, read_all(errors.ends[0])};
  while (waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(end.status)) return std::nullopt;
  end.status = WEXITSTATUS(end.status);
  return end;
}

/// A name beside the output that no other file has; empty for a device.
fs::path trial_path(const std::string& output) {
  const std::string name = fmt::format(".{}.import.yaml", getpid());
  if (output == "-") return name;
  std::error_code unknown;
  const auto kind = fs::status(output, unknown).type();
  const bool is_file = kind == fs::file_type::not_found || kind == fs::file_type::regular;
  return is_file ? fs::path(output).parent_path() / name : fs::path{};
}

/// The lines of errors, without warnings, and without the name of the trial.
std::string error_lines(const std::string& said, const fs::path& trial) {
  std::istringstream lines(said);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with("warning")) continue;
    if (line.starts_with(trial.string())) line.replace(0, trial.string().size(), "the scenario");
    text += (text.empty() ? "" : "; ") + line;
  }
  return text;
}

}  // namespace

Result<void> check_scenario(const std::string& simulator, const std::string& text,
                            const std::string& output) {
  const fs::path trial = trial_path(output);
  if (trial.empty()) return {};
  std::ostringstream none;
  if (!files::write_output(trial.string(), text, none)) return {};  // writing the output says why
  const auto end = run_quietly({simulator, "check", trial.string()});
  std::error_code gone;
  fs::remove(trial, gone);
  if (!end || end->status == 0) return {};
  return refuse("sim check", error_lines(end->errors, trial));
}

std::string simulator_beside() {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  const fs::path simulator = program.parent_path() / "sim";
  return !unknown && fs::exists(simulator, unknown) ? simulator.string() : "";
}

}  // namespace calibrate
