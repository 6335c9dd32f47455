// The command line of `calibrate import`.
#pragma once

#include <CLI/CLI.hpp>

namespace calibrate {

/// @param exit_code  what the command returns when it is called; outlives the parser
void add_import(CLI::App& program, int& exit_code);

}  // namespace calibrate
