// Rows under named columns, the one form from which tables, CSV and JSON are printed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sim::output {

/// What the numbers of a column are, so that a table can choose a unit for them.
enum class Measure {
  none,   ///< a text or a pure number
  time,   ///< seconds
  size,   ///< bytes
  rate,   ///< bytes per second
  share,  ///< of one; tables show percent
};

/// What stands above a column.
struct Heading {
  std::string key;    ///< in CSV and JSON; ends in its unit: `step_time_s`
  std::string title;  ///< in tables; the unit is added
  Measure measure = Measure::none;
};

/// Nothing, a text, a count, or a number in base units.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

/// A filled-in table of plain values.
struct Sheet {
  std::vector<Heading> headings;
  std::vector<std::vector<Cell>> rows;  ///< as many cells each as there are headings
};

/// One column: its heading, and how to get its cell from a row.
template <class Row>
struct Column {
  std::string_view key;
  std::string_view title;
  Measure measure;
  Cell (*get)(const Row&);
};

/// Every row through every column.
template <class Row>
Sheet fill(std::span<const Column<Row>> columns, std::span<const Row> rows) {
  Sheet sheet;
  for (const Column<Row>& column : columns) {
    sheet.headings.push_back({std::string(column.key), std::string(column.title), column.measure});
  }
  for (const Row& row : rows) {
    std::vector<Cell>& cells = sheet.rows.emplace_back();
    for (const Column<Row>& column : columns) cells.push_back(column.get(row));
  }
  return sheet;
}

/// The sheet without the columns whose key is listed.
Sheet without(Sheet sheet, std::span<const std::string_view> keys);

}  // namespace sim::output
