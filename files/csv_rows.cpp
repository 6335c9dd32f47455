// Rows of other people's CSV files, by the names of their columns.
#include "files/csv_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/text_file.hpp"

namespace files {
namespace {

using netmodels::refuse;
using netmodels::Result;

Result<std::vector<std::size_t>> find_columns(const std::vector<std::string_view>& header,
                                              std::span<const std::string_view> columns,
                                              const std::string& where) {
  std::vector<std::size_t> order;
  for (const std::string_view column : columns) {
    const auto found = std::ranges::find(header, column);
    if (found == header.end())
      return refuse(where, fmt::format("column `{}` is missing", column),
                    fmt::format("the header names {}", fmt::join(header, ", ")));
    order.push_back(static_cast<std::size_t>(found - header.begin()));
  }
  return order;
}

std::string quoted(const CsvRow& row, std::size_t column) {
  return fmt::format("`{}` in column `{}`", row.cells.at(column), row.columns[column]);
}

}  // namespace

std::string place_of(const CsvRow& row, std::size_t column, std::string_view source) {
  return place(source, row.line, static_cast<int>(row.cells.at(column).data() - row.text.data()) + 1);
}

Result<std::vector<CsvRow>> read_csv_rows(std::string_view text, std::span<const std::string_view> columns,
                                          std::string_view source) {
  std::vector<CsvRow> rows;
  std::vector<std::size_t> order;
  std::size_t width = 0;
  int number = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::string where = place(source, ++number, 1);
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const auto cells = cells_of(line);
    if (width == 0) {
      GRADSIM_TRY(found, find_columns(cells, columns, where));
      order = std::move(*found);
      width = cells.size();
      continue;
    }
    if (cells.size() != width)
      return refuse(where, fmt::format("the row has {} cells", cells.size()),
                    fmt::format("the header names {}", width));
    CsvRow row{number, line, columns, {}};
    for (const std::size_t each : order) row.cells.push_back(cells[each]);
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return refuse(std::string(source), "no rows found", "expected a header and rows");
  if (!text.ends_with('\n'))
    return refuse(place(source, number, 1), "the last line has no line end: a number in it may be cut",
                  "use the complete file, or end it with a line break");
  return rows;
}

Result<double> number_in(const CsvRow& row, std::size_t column, double least, std::string_view source) {
  const auto number = read_number(row.cells.at(column));
  if (number && std::isfinite(*number) && *number >= least) return *number;
  return refuse(place_of(row, column, source), quoted(row, column) + " is out of range",
                fmt::format("accepted: a finite number, {} or above", least));
}

Result<int> count_in(const CsvRow& row, std::size_t column, std::string_view source) {
  constexpr long long most = 1'000'000;
  const auto number = read_integer(row.cells.at(column));
  if (number && *number >= 1 && *number <= most) return static_cast<int>(*number);
  return refuse(place_of(row, column, source), quoted(row, column) + " is not a count",
                fmt::format("accepted: 1 to {}", most));
}

}  // namespace files
