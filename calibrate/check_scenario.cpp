// Runs `sim check` before an import writes a scenario.
#include "calibrate/check_scenario.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <memory>
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
#include "files/text_file.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;
namespace fs = std::filesystem;

/// Outcome of a program.
struct ProgramEnd {
  int status = 0;
  std::string output;  ///< beginning of stdout
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
  constexpr std::size_t most = 200'000;
  std::string text;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t got = read(end, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    if (text.size() < most) text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

/// Runs a program to its end. @returns nothing where it cannot be started or was killed
std::optional<ProgramEnd> run_quietly(std::vector<std::string> words) {
  const std::unique_ptr<FILE, decltype(&std::fclose)> output(std::tmpfile(), &std::fclose);
  Pipe errors;
  if (!output || pipe2(errors.ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(output.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  errors.close_writing();
  ProgramEnd end{0, {}, read_all(errors.ends[0])};
  while (waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(end.status)) return std::nullopt;
  end.status = WEXITSTATUS(end.status);
  if (lseek(fileno(output.get()), 0, SEEK_SET) == 0) end.output = read_all(fileno(output.get()));
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

constexpr std::string_view warning_begin = "warning: ";

/// Report on the trial: errors as one sentence, and warnings.
struct Sentences {
  std::string errors;
  std::vector<std::string> warnings;
};

Sentences sentences_of(const std::string& said, const fs::path& trial, const std::string& text,
                       std::span<const KeySource> sources) {
  std::istringstream lines(said);
  Sentences found;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const bool is_warning = line.starts_with(warning_begin);
    if (is_warning) line.erase(0, warning_begin.size());
    line = with_sources(std::move(line), trial.string(), text, sources);
    if (is_warning)
      found.warnings.push_back(std::move(line));
    else
      found.errors += (found.errors.empty() ? "" : "; ") + line;
  }
  return found;
}

}  // namespace

Result<CheckedScenario> check_scenario(const std::string& simulator, const std::string& text,
                                       const std::string& output, std::span<const KeySource> sources) {
  const fs::path trial = trial_path(output);
  if (trial.empty()) return CheckedScenario{};
  std::ostringstream none;
  if (!files::write_output(trial.string(), text, none))
    return CheckedScenario{};  // writing the output says why
  auto end = run_quietly({simulator, "check", trial.string()});
  std::error_code gone;
  fs::remove(trial, gone);
  if (!end) return CheckedScenario{};
  Sentences said = sentences_of(end->errors, trial, text, sources);
  if (end->status == 0) return CheckedScenario{std::move(said.warnings), std::move(end->output)};
  return refuse("sim check", std::move(said.errors));
}

std::string resolved_value(std::string_view resolved, std::string_view path) {
  const std::size_t dot = path.find('.');
  constexpr int inner_column = 3;
  bool is_inside = false;
  for (const std::string_view line : files::lines_of(resolved)) {
    if (!line.starts_with(' ')) is_inside = line == std::string(path.substr(0, dot)) + ":";
    const auto words = files::words_of(line);
    if (is_inside && words.size() > 1 && words[0].column == inner_column &&
        words[0].text == std::string(path.substr(dot + 1)) + ":")
      return std::string(words[1].text);
  }
  return {};
}

std::string simulator_beside() {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  const fs::path simulator = program.parent_path() / "sim";
  return !unknown && fs::exists(simulator, unknown) ? simulator.string() : "";
}

}  // namespace calibrate
