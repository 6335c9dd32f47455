// The commands by which a program describes itself: `completion SHELL` and `man`.
#pragma once

#include <iosfwd>
#include <string>

#include <CLI/CLI.hpp>

namespace command_line {

/// Adds both; they print to `output`, and describe all commands that the program has when they run.
/// @param version  as "0.1.0"
/// @param program, output  must outlive the parsing
void add_self_description(CLI::App& program, const std::string& version, std::ostream& output);

}  // namespace command_line
