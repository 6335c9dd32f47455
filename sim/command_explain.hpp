// `sim explain`: prints why a step takes as long as it does.
#pragma once

#include <CLI/CLI.hpp>

namespace sim {

/// Adds the command to the program.
/// @param exit_code  set when the command has run
void add_explain(CLI::App& program, int& exit_code);

}  // namespace sim
