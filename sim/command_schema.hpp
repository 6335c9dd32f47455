// `sim schema`: prints the JSON schema of scenario files.
#pragma once

#include <CLI/CLI.hpp>

namespace sim {

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_schema(CLI::App& program, int& exit_code);

}  // namespace sim
