// The commands of `sim`: each adds itself to the program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "sim/progress.hpp"
#include "sim/scenario_options.hpp"

namespace sim {

// `sim run`: runs scenarios and compares their arms.

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_run(CLI::App& program, int& exit_code);

// `sim sweep`: a scenario at many points, each in its own process, into an SQLite file.

/// @param exit_code  what the command returns when it is called; outlives the parser
void add_sweep(CLI::App& program, int& exit_code);

// `sim check`: prints a scenario resolved, each value with its origin.

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_check(CLI::App& program, int& exit_code);

// `sim explain`: prints why a step takes as long as it does.

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_explain(CLI::App& program, int& exit_code);

// `sim why`: where a step loses time, and what would make it shorter.

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_why(CLI::App& program, int& exit_code);

// `sim cost`: evaluates one collective on a star of equal links.

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_cost(CLI::App& program, int& exit_code);

// `sim advise`: which cluster to rent, with which batch, and the cost of the search; or which policies
// to take.

/// Options for one file.
struct AdviseRequest {
  std::string file;
  std::string format;  ///< output format
  bool strict = false;
  std::vector<std::string> settings;  ///< `KEY=VALUE`, which win over the options of the scenario
};

/// Answers the file's question to a planner, on stdout. @returns the exit code
int advise_file(const AdviseRequest& request, const ScenarioOptions& options, Progress& progress);

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_advise(CLI::App& program, int& exit_code);

// `sim advise` on policies: which of them a training should take on its cluster.

/// Answers, on stdout, what the file asks about policies.
/// @param jobs  processes at a time
/// @returns the exit code
int advise_policies_of_file(const AdviseRequest& request, const ScenarioOptions& options, std::size_t jobs,
                            Progress& progress);

// `sim fit`: finds what a scenario states wrongly from measured figures.

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_fit(CLI::App& program, int& exit_code);

// `sim report`: one HTML page on a run or a sweep.

/// @param exit_code  what the command returns when it is called; outlives the parser
void add_report(CLI::App& program, int& exit_code);

// `sim list`: prints the names that a scenario may use.

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_list(CLI::App& program, int& exit_code);

// `sim schema`: prints the JSON schema of scenario files.

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_schema(CLI::App& program, int& exit_code);

// `sim new`: writes a scenario to begin with.

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_new(CLI::App& program, int& exit_code);

// `sim diff`: what two scenarios state differently, and how far their figures are apart.

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_diff(CLI::App& program, int& exit_code);

// `sim version`: prints the versions of gradsim, SimGrid and the compiler.

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_version(CLI::App& program, int& exit_code);

}  // namespace sim
