// Tables and their cells as JSON values, and cells read back.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "command_line/table.hpp"

namespace command_line {

/// The text or number of a cell; null where it is empty.
nlohmann::ordered_json cell_json(const Cell& cell);

/// The cell that `cell_json` gives this value; empty for what is neither text nor number.
Cell cell_of(const nlohmann::ordered_json& value);

/// Adds the cells of one row to an object, under the keys of their columns.
void put_row(nlohmann::ordered_json& object, const Table& table, std::size_t row);

/// One object for each column: `key` and `title`.
nlohmann::ordered_json columns_json(const Table& table);

/// One object for each row.
nlohmann::ordered_json rows_json(const Table& table);

}  // namespace command_line
