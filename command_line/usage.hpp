// The message for a command line that cannot be parsed.
#pragma once

#include <iosfwd>

#include <CLI/CLI.hpp>

namespace command_line {

/// Prints help where that was asked for; else, to `errors`, what is wrong, the nearest command where the
/// first word is near one, the nearest option of the command, and where to read more.
/// @param error       as thrown by `program.parse`
/// @param exit_usage  of a program that was used wrongly
/// @returns the exit code: 0 where help or the version was asked for
int answer_usage(const CLI::App& program, const CLI::ParseError& error, int argc, const char* const* argv,
                 std::ostream& errors, int exit_usage);

}  // namespace command_line
