// `sim advise`: which cluster to rent, with which batch, and what finding that out costs; or which policies
// to take.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "sim/progress.hpp"
#include "sim/scenario_options.hpp"

namespace sim {

/// What is asked of one file.
struct AdviseRequest {
  std::string file;
  std::string format;  ///< of the output
  bool strict = false;
  std::vector<std::string> settings;  ///< `KEY=VALUE`, which win over the options of the scenario
};

/// Answers what the file asks of a planner, on stdout. @returns the exit code
int advise_file(const AdviseRequest& request, const ScenarioOptions& options, Progress& progress);

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_advise(CLI::App& program, int& exit_code);

}  // namespace sim
