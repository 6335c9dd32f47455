// The check of an option whose values are words.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace command_line {

/// Refuses other words, with the nearest of the accepted ones and all of them.
CLI::Validator known_words(std::vector<std::string> names);

}  // namespace command_line
