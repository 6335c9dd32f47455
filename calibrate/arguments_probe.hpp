// The command line of `calibrate probe`.
#pragma once

#include <CLI/CLI.hpp>

namespace calibrate {

/// @param exit_code  what the command returns when it is called; outlives the parser
void add_probe(CLI::App& program, int& exit_code);

}  // namespace calibrate
