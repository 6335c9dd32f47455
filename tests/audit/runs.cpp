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

#include "command_line/output_format.hpp"
#include "sim/advise/advice.hpp"
#include "sim/advise/advice_figures.hpp"
#include "sim/advise/advice_text.hpp"
#include "sim/advise/policy_advice.hpp"
#include "sim/advise/policy_text.hpp"
#include "sim/advise/sharding_advice.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/study_document.hpp"
#include "sim/scenario/planning_file.hpp"
#include "sim/scenario/policy_advice_file.hpp"
#include "sim/scenario/sharding_question.hpp"
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
    (has_key(line, {"library", "network", "origin"}) ? sentences : figures) += line + "\n";
  }
  return {figures, sentences};
}

/// Where to run it.
struct Asked {
  const fs::path& file;
  const std::vector<std::string>& settings;
  const fs::path& scenarios;
};

/// What came of it, before figures and sentences are told apart.
struct Answer {
  std::string json;
  std::vector<std::string> warnings;
  std::string resolved;
};

netmodels::Result<std::string> simulate(const Reading& reading, const Asked& asked) {
  sim::engine::LearnerShelf shelf(asked.scenarios);
  sim::engine::ClusterCache clusters;
  sim::report::SimulatedStudy study{asked.file.string(), &reading.study, {}};
  for (const sim::scenario::Scenario& arm : reading.study.arms) {
    GRADSIM_TRY(result, sim::engine::simulate(arm, {}, shelf, clusters));
    study.arms.push_back({&arm, std::move(*result)});
  }
  if (auto finite = sim::report::check_finite(study); !finite) return tl::unexpected(finite.error());
  const auto expectations = sim::report::judge(study);
  return sim::report::study_json({&study, &expectations});
}

netmodels::Result<Reading> read_study(const Asked& asked) {
  return sim::scenario::read_study(asked.file, asked.settings, asked.scenarios,
                                   sim::report::expectable_metrics());
}

netmodels::Result<Answer> run_study(const Asked& asked) {
  GRADSIM_TRY(reading, read_study(asked));
  GRADSIM_TRY(json, simulate(*reading, asked));
  return Answer{std::move(*json), reading->study.warnings, print_study(*reading)};
}

/// As `sim advise` answers a file with `planning`.
netmodels::Result<Answer> run_plan(const Asked& asked) {
  GRADSIM_TRY(plan, sim::scenario::read_plan(asked.file, asked.settings, asked.scenarios,
                                             sim::report::expectable_metrics()));
  sim::engine::LearnerShelf shelf(asked.scenarios);
  std::vector<sim::advise::Advised> advised;
  for (const sim::scenario::PlanArm& arm : plan->arms) {
    const bool simulates = arm.planning.profiles.kind == sim::scenario::ProfileSourceKind::simulate;
    const auto profiles = simulates ? sim::advise::profiles_of_simulation(arm, *plan->job, shelf, nullptr)
                                    : sim::advise::profiles_of_table(arm);
    GRADSIM_TRY(one, sim::advise::advise(arm, *profiles, {}));
    advised.push_back(std::move(*one));
  }
  const auto document =
      sim::advise::advice_document({asked.file.string(), &*plan, advised, judge(*plan, advised)});
  std::string json = command_line::print("json", document);
  if (!plan->job) return Answer{std::move(json), plan->warnings, print_plan(*plan)};
  GRADSIM_TRY(reading, read_study(asked));
  return Answer{std::move(json), plan->warnings, print_study(*reading)};
}

/// As `sim advise` answers a file with `advice`.
netmodels::Result<Answer> run_advice(const Asked& asked) {
  GRADSIM_TRY(question, sim::scenario::read_policy_question(asked.file, asked.settings, asked.scenarios));
  GRADSIM_TRY(advised, sim::advise::advise_policies(*question, asked.scenarios, {}));
  GRADSIM_TRY(reading, read_study(asked));
  return Answer{command_line::print("json", sim::advise::policy_document(*advised, asked.file.string())),
                question->warnings, print_study(*reading)};
}

/// As `sim advise` answers a file with `advice` where states are shared.
netmodels::Result<Answer> run_sharding_advice(const Asked& asked) {
  GRADSIM_TRY(question, sim::scenario::read_sharding_question(asked.file, asked.settings, asked.scenarios));
  GRADSIM_TRY(advised, sim::advise::advise_shardings(*question, nullptr));
  GRADSIM_TRY(reading, read_study(asked));
  return Answer{command_line::print("json", sim::advise::sharding_document(*advised, asked.file.string())),
                question->warnings, print_study(*reading)};
}

netmodels::Result<Answer> run_asked(const Asked& asked) {
  const sim::scenario::PlanKind kind = sim::scenario::plan_kind(asked.file, asked.scenarios);
  if (kind.planning) return run_plan(asked);
  if (!kind.advice) return run_study(asked);
  const bool shards = sim::scenario::asks_about_sharding(asked.file, asked.settings, asked.scenarios);
  return shards ? run_sharding_advice(asked) : run_advice(asked);
}

std::string outcome_text(const Asked& asked) {
  const auto answer = run_asked(asked);
  if (!answer) return std::string("refused") + part_end + answer.error().text();
  const auto [figures, sentences] = figures_and_sentences(answer->json);
  std::string text = std::string("ran") + part_end + figures + part_end + sentences;
  for (const std::string& warning : answer->warnings) text += warning + "\n";
  return text + part_end + answer->resolved;
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

std::string without_places(const std::string& figures) {
  std::istringstream lines(figures);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    const bool names = line.find(".yaml") != std::string::npos || line.find("\"--set ") != std::string::npos;
    if (!names) rest += line + "\n";
  }
  return rest;
}

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
    write_all(ends[1], outcome_text({file, settings, scenarios_}));
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
