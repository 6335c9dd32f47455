// Text as a terminal shows it: styled, and broken into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sim::report {

/// The same text with ANSI escape sequences: the first line of each table and names between backquotes are
/// bold, MISSED is red. A table is a run of lines with columns, two or more blanks apart.
std::string style(const std::string& text);

/// The width of a line where no terminal has another, in characters.
inline constexpr std::size_t line_width = 80;

/// The text in lines of at most so many characters, broken at blanks; every line after the first is indented
/// by two.
/// @returns lines that each end in a newline; a word longer than a line gets its own line
std::string wrap(std::string_view text, std::size_t width = line_width);

}  // namespace sim::report
