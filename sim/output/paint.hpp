// Text for people, painted for a terminal.
#pragma once

#include <string>

namespace sim::output {

/// The same text with ANSI escape sequences: the first line of each table and names between backquotes are
/// bold, MISSED is red. A table is a run of lines with columns, two or more blanks apart.
std::string paint(const std::string& text);

}  // namespace sim::output
