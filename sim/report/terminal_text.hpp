// Text as a terminal shows it: styled, and broken into lines.
#pragma once

#include <string>
#include <string_view>

namespace sim::report {

/// The same text with ANSI escape sequences: the first line of each table and names between backquotes are
/// bold, MISSED is red. A table is a run of lines with columns, two or more blanks apart.
std::string style(const std::string& text);

/// The text in lines of at most 110 characters, broken at blanks; every line after the first is indented by
/// two.
/// @returns lines that each end in a newline; a word longer than a line gets its own line
std::string wrap(std::string_view text);

}  // namespace sim::report
