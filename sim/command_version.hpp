// `sim version`: prints the versions of gradsim, SimGrid and the compiler.
#pragma once

#include <CLI/CLI.hpp>

namespace sim {

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_version(CLI::App& program, int& exit_code);

}  // namespace sim
