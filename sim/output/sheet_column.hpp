// Finding a column of a sheet, and reading its numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "sim/output/sheet.hpp"

namespace sim::output {

/// The number of the column, from the left; nothing where the sheet has none of this key.
std::optional<std::size_t> column_of(const Sheet& sheet, std::string_view key);

/// Of a count or a number; nothing where the cell is something else.
std::optional<double> number_of(const Cell& cell);

}  // namespace sim::output
