// Self-description of a program: manual page and shell completions.
#pragma once

#include <iosfwd>
#include <string>

#include <CLI/CLI.hpp>

#include "command_line/described.hpp"

namespace command_line {

// The commands by which a program describes itself: `completion SHELL`, `man` and `help COMMAND`.

/// Adds them; they print to `output`, and describe all commands that the program has when they run.
/// @param version  such as "0.2.0"
/// @param program, output  must outlive the parsing
void add_self_description(CLI::App& program, const std::string& version, std::ostream& output);

// The manual page of a program, from its commands and options.

/// Manual page in roff with the macros of man(7), section 1: name, synopsis, commands with their options,
/// notes. Bears no date, so that the same program gives the same bytes.
/// @param version  such as "0.2.0"
std::string man_page(const DescribedCommand& program, const std::string& version);

// Shell completion: scripts that complete commands, options and their values.

/// For bash: `source <(sim completion bash)`. Values without a list are completed as files.
std::string bash_completion(const DescribedCommand& program);
/// For zsh, as a file `_sim` of a folder on $fpath, or `source <(sim completion zsh)` after `compinit`.
std::string zsh_completion(const DescribedCommand& program);
/// For fish: `sim completion fish | source`.
std::string fish_completion(const DescribedCommand& program);

}  // namespace command_line
