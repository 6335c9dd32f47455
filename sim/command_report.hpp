// `sim report`: one HTML page on a run or a sweep.
#pragma once

#include <CLI/CLI.hpp>

namespace sim {

/// @param exit_code  what the command returns when it is called; outlives the parser
void add_report(CLI::App& program, int& exit_code);

}  // namespace sim
