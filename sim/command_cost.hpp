// `sim cost`: prices one collective on a star of equal links.
#pragma once

#include <CLI/CLI.hpp>

namespace sim {

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_cost(CLI::App& program, int& exit_code);

}  // namespace sim
