// A sheet as comma-separated values for programs.
#pragma once

#include <string>
#include <string_view>

#include "sim/output/sheet.hpp"

namespace sim::output {

/// The text as one CSV field: quoted where it holds a comma, a quote or a line break (RFC 4180).
std::string csv_field(std::string_view text);

/// The line of keys, with its newline.
std::string csv_header(const Sheet& sheet);

/// One line for each row. Numbers stand in base units, as short as they read back to the same value.
std::string csv_rows(const Sheet& sheet);

}  // namespace sim::output
