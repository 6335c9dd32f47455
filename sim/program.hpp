// The program `sim` as a function: from the words of a command line to an exit code.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sim {

/// Parses the words behind the program's name and runs the command that they name.
/// @returns its exit code; that of usage where they cannot be parsed, after a message on std::cerr
/// @throws std::bad_alloc, std::exception  where the device or the system fails
int run_command_line(const std::vector<std::string>& words);

/// Adds the commands that read their input to its end, which `sim serve` answers with.
void add_served_commands(CLI::App& program, int& exit_code);

/// Adds `sim serve`: answers requests on standard input until it ends.
/// @param exit_code  set when the command has run
void add_serve(CLI::App& program, int& exit_code);

}  // namespace sim
