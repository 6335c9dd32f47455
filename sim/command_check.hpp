// `sim check`: prints a scenario resolved, each value with its origin.
#pragma once

#include <CLI/CLI.hpp>

namespace sim {

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_check(CLI::App& program, int& exit_code);

}  // namespace sim
