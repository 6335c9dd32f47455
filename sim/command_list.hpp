// `sim list`: prints what a scenario may name.
#pragma once

#include <CLI/CLI.hpp>

namespace sim {

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_list(CLI::App& program, int& exit_code);

}  // namespace sim
