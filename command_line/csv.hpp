// A table as comma-separated values for programs: written, and a line of them taken apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command_line/table.hpp"

namespace command_line {

/// The text as one CSV field: quoted where it holds a comma, a quote or a line break (RFC 4180).
std::string csv_field(std::string_view text);

/// The line of keys, with its newline.
std::string csv_header(const Table& table);

/// One line for each row. Numbers are in base units, in the shortest form that reads back to the same value.
std::string csv_rows(const Table& table);

/// The fields of a line, without its end, as `csv_field` writes them: quotes are taken off. A field that
/// holds a line break is not whole on one line: see `is_open`.
/// @param fields  overwritten; its memory is reused
void split_csv_line(std::string_view line, std::vector<std::string>& fields);

/// Whether a quoted field continues after the end of this text.
bool has_open_quote(std::string_view text);

}  // namespace command_line
