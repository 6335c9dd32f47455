// `sim sweep`: a scenario at many points, each in a process of its own, into an SQLite file.
#pragma once

#include <CLI/CLI.hpp>

namespace sim {

/// @param exit_code  what the command returns when it is called; outlives the parser
void add_sweep(CLI::App& program, int& exit_code);

}  // namespace sim
