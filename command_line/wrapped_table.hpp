// A table in lines of a given width, with cells of several lines.
#pragma once

#include <cstddef>
#include <string>

#include "command_line/table.hpp"

namespace command_line {

/// Lines of aligned columns as `text_table` has them, none longer than `width`: cells are broken at blanks,
/// and words that are longer than half a line anywhere. Columns that do not fit even so follow in blocks
/// below, each of which begins with the first column.
/// @param width  in characters, at least 8; `npos`: no cell is broken
std::string wrapped_table(const Table& table, std::size_t width);

}  // namespace command_line
