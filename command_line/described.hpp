// The commands and options of a program, read from its CLI11 tree.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace command_line {

/// An option, or a positional argument.
struct Described {
  std::vector<std::string> names;    ///< "-h", "--help"; of a positional its one name, without dashes
  std::string value;                 ///< placeholder of its value: "KEY=VALUE"; empty for a flag
  std::vector<std::string> choices;  ///< the values that are accepted, where they are listed
  std::string standard;              ///< the value without it; empty where there is none to show
  std::string text;                  ///< one sentence
  bool takes_value = false;
  bool required = false;
  bool repeats = false;  ///< may have several values
};

/// A program, or one of its commands.
struct DescribedCommand {
  std::string name;
  std::string text;   ///< one sentence
  std::string notes;  ///< the end of its help: lines, examples after "Examples:"
  std::vector<Described> positionals;
  std::vector<Described> options;
  std::vector<DescribedCommand> commands;
};

/// Describes all commands, in the order in which they were added.
DescribedCommand describe(const CLI::App& program);

}  // namespace command_line
