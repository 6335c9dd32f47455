// The message for a command line that cannot be parsed.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace command_line {

/// The option of ours that means what one of another program says: "`--set training.steps=10`" of `steps` and
/// `10`.
/// @param name   of the option, without dashes
/// @param value  may be empty
/// @returns an empty text where there is none
using SettingOfOption = std::string (*)(std::string_view name, std::string_view value);

/// The answer of a program that was used wrongly.
struct UsageAnswer {
  int exit_code;
  SettingOfOption setting_of = nullptr;  ///< for commands that have `--set`; null: options have no settings
};

/// Prints help where that was asked for; else, to `errors`, what is wrong, the nearest command where the
/// word in its place is near one, the nearest option of the command, and where to read more.
/// @param error  as thrown by `program.parse`
/// @returns the exit code: 0 where help or the version was asked for
int answer_usage(const CLI::App& program, const CLI::ParseError& error, int argc, const char* const* argv,
                 std::ostream& errors, const UsageAnswer& answer);

/// Refuses a quantity whose number and unit are two words, as in `--link 10 Gbit/s`: without it, the unit
/// would be taken for a file.
/// @returns whether it was refused, with a message to `errors`
bool refuse_split_quantity(const CLI::App& program, int argc, const char* const* argv, std::ostream& errors);

}  // namespace command_line
