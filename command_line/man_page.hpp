// The manual page of a program, from what it accepts.
#pragma once

#include <string>

#include "command_line/described.hpp"

namespace command_line {

/// In roff with the macros of man(7), section 1: name, synopsis, commands with their options, notes. Bears no
/// date, so that the same program gives the same bytes.
/// @param version  as "0.1.0"
std::string man_page(const DescribedCommand& program, const std::string& version);

}  // namespace command_line
