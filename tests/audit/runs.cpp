// Runs a scenario with settings in a process of its own, and says what came of it.
#include "tests/audit/runs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <initializer_list>
#include <sstream>
#include <unistd.h>
#include <utility>

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "sim/engine/simulate.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/study_document.hpp"
#include "sim/scenario/study.hpp"

namespace audit {
namespace {

namespace fs = std::filesystem;
using sim::scenario::Reading;

constexpr char part_end = '\x1e';  ///< between the parts of an outcome in a pipe
constexpr rlim_t most_seconds = 20;
constexpr rlim_t most_bytes = rlim_t{4} << 30U;

/// Whether a line of the JSON has one of these keys.
bool has_key(const std::string& line, std::initializer_list<const char*> keys) {
  return std::ranges::any_of(
      keys, [&](const char* key) { return line.find(fmt::format("\"{}\":", key)) != std::string::npos; });
}

/// What an output says: figures, and sentences on what they rest on. What repeats an input is neither.
std::pair<std::string, std::string> figures_and_sentences(const std::string& json) {
  std::istringstream lines(json);
  std::string figures;
  std::string sentences;
  for (std::string line; std::getline(lines, line);) {
    if (has_key(line, {"seed", "workload_provenance", "workload"})) continue;
    (has_key(line, {"library", "network"}) ? sentences : figures) += line + "\n";
  }
  return {figures, sentences};
}

netmodels::Result<std::string> simulate(const Reading& reading, const fs::path& file,
                                        const fs::path& scenarios) {
  sim::engine::LearnerShelf shelf(scenarios);
  sim::engine::ClusterCache clusters;
  sim::report::SimulatedStudy study{file.string(), &reading.study, {}};
  for (const sim::scenario::Scenario& arm : reading.study.arms) {
    GRADSIM_TRY(result, sim::engine::simulate(arm, {}, shelf, clusters));
    study.arms.push_back({&arm, std::move(*result)});
  }
  if (auto finite = sim::report::check_finite(study); !finite) return tl::unexpected(finite.error());
  const auto expectations = sim::report::judge(study);
  return sim::report::study_json({&study, &expectations});
}

std::string outcome_text(const fs::path& file, const std::vector<std::string>& settings,
                         const fs::path& scenarios) {
  const auto refused = [](const netmodels::Error& error) {
    return std::string("refused") + part_end + error.text();
  };
  const auto reading =
      sim::scenario::read_study(file, settings, scenarios, sim::report::expectable_metrics());
  if (!reading) return refused(reading.error());
  const auto json = simulate(*reading, file, scenarios);
  if (!json) return refused(json.error());
  const auto [figures, sentences] = figures_and_sentences(*json);
  std::string text = std::string("ran") + part_end + figures + part_end + sentences;
  for (const std::string& warning : reading->study.warnings) text += warning + "\n";
  return text + part_end + print_study(*reading);
}

std::string read_all(int pipe) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t got = read(pipe, buffer.data(), buffer.size());
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      return text;
    }
  }
}

void write_all(int pipe, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = write(pipe, text.data() + done, text.size() - done);
    if (put <= 0) _exit(1);
    done += static_cast<std::size_t>(put);
  }
}

Outcome outcome_of(const std::string& text) {
  std::array<std::string, 4> parts;
  std::istringstream stream(text);
  for (std::string& part : parts) std::getline(stream, part, part_end);
  if (parts[0].empty()) return {};
  return {parts[0] == "ran" ? Ending::ran : Ending::refused, parts[1], parts[2], parts[3]};
}

}  // namespace

Outcome Runner::run(const fs::path& file, const std::vector<std::string>& settings) const {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const rlimit seconds{most_seconds, most_seconds};
    const rlimit bytes{most_bytes, most_bytes};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_AS, &bytes);
    write_all(ends[1], outcome_text(file, settings, scenarios_));
    _exit(0);
  }
  close(ends[1]);
  const std::string text = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  const bool whole = waitpid(child, &status, 0) == child && status == 0;
  return whole ? outcome_of(text) : Outcome{};
}

}  // namespace audit
