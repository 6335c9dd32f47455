// Tables as JSON: one object for each row.
#include "command_line/table_json.hpp"

#include <nlohmann/json.hpp>

namespace command_line {

using nlohmann::ordered_json;

ordered_json cell_json(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  if (const auto* value = std::get_if<double>(&cell)) return *value;
  return nullptr;
}

Cell cell_of(const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return value.get<std::int64_t>();
  return std::monostate{};
}

void put_row(ordered_json& object, const Table& table, std::size_t row) {
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    object[table.columns[column].key] = cell_json(table.rows[row][column]);
}

ordered_json columns_json(const Table& table) {
  ordered_json columns = ordered_json::array();
  for (const Column& column : table.columns)
    columns.push_back({{"key", column.key}, {"title", column.title}});
  return columns;
}

ordered_json rows_json(const Table& table) {
  ordered_json rows = ordered_json::array();
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    put_row(rows.emplace_back(ordered_json::object()), table, row);
  return rows;
}

}  // namespace command_line
