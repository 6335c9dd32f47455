// Tables of plain values: leaving columns out, finding them, reading their numbers.
#include "command_line/table.hpp"

#include <algorithm>

namespace command_line {

Table without(Table table, std::span<const std::string_view> keys) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    if (std::ranges::find(keys, table.columns[column].key) == keys.end()) continue;
    const auto offset = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + offset);
    for (auto& row : table.rows) row.erase(row.begin() + offset);
  }
  return table;
}

std::optional<std::size_t> column_of(const Table& table, std::string_view key) {
  const auto found = std::ranges::find(table.columns, key, &Column::key);
  if (found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

std::optional<double> number_of(const Cell& cell) {
  if (const auto* value = std::get_if<double>(&cell)) return *value;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*count);
  return std::nullopt;
}

}  // namespace command_line
