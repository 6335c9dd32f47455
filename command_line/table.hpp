// A table of plain values: rows under named columns, from which text, CSV and JSON are printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace command_line {

/// Kind of the numbers of a column, so that a table can choose a unit for them.
enum class Measure {
  none,   ///< a text or a pure number
  time,   ///< seconds
  size,   ///< bytes
  rate,   ///< bytes per second
  share,  ///< share of one; tables show percent
};

/// A column of a table: its name, and the kind of its numbers.
struct Column {
  std::string key;    ///< name in CSV and JSON; ends in its unit: `step_time_s`
  std::string title;  ///< title in tables; the unit is added
  Measure measure = Measure::none;
};

/// Nothing, a text, a count, or a number in base units.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

/// A filled-in table of plain values.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< as many cells each as there are columns
};

/// A column, and how its cell is read from a row.
template <class Row>
struct ColumnOf {
  std::string_view key;
  std::string_view title;
  Measure measure;
  Cell (*get)(const Row&);
};

/// Every row through every column.
template <class Row>
Table fill(std::span<const ColumnOf<Row>> columns, std::span<const Row> rows) {
  Table table;
  for (const ColumnOf<Row>& column : columns) {
    table.columns.push_back({std::string(column.key), std::string(column.title), column.measure});
  }
  for (const Row& row : rows) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (const ColumnOf<Row>& column : columns) cells.push_back(column.get(row));
  }
  return table;
}

/// The table without the columns whose key is listed.
Table without(Table table, std::span<const std::string_view> keys);

/// The index of the column with this key; nothing where the table has none.
std::optional<std::size_t> column_of(const Table& table, std::string_view key);

/// Value of a count or a number; nothing where the cell is something else.
std::optional<double> number_of(const Cell& cell);

}  // namespace command_line
