// Splits CSV text into cells and checks them.
#include "sim/language/table_file.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <utility>

#include "files/input_file.hpp"
#include "netmodels/nearest.hpp"
#include "sim/language/text_file.hpp"

namespace sim::language {
namespace {

using netmodels::refuse;
using netmodels::Result;
using Cell = TableFile::Cell;

constexpr std::size_t most_table_bytes = 8'000'000;
constexpr std::string_view blanks = " \t\r";

std::string place(const std::string& source, Position position) {
  return source + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

/// The cell without blanks around it, and where its text begins.
Cell trimmed(std::string_view field, Position position) {
  const std::size_t first = field.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {{}, position};
  const std::size_t last = field.find_last_not_of(blanks);
  position.column += static_cast<int>(first);
  return {std::string(field.substr(first, last - first + 1)), position};
}

std::vector<Cell> cells_of(std::string_view line, int number) {
  std::vector<Cell> cells;
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = line.find(',', begin);
    const std::size_t end = comma == std::string_view::npos ? line.size() : comma;
    cells.push_back(trimmed(line.substr(begin, end - begin), {number, static_cast<int>(begin) + 1}));
    if (comma == std::string_view::npos) return cells;
    begin = comma + 1;
  }
}

/// Every line that holds cells, comments and blank lines left out.
std::vector<std::vector<Cell>> lines_of(std::string_view text) {
  std::vector<std::vector<Cell>> lines;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    const bool is_comment = line.starts_with('#');
    if (is_comment || line.find_first_not_of(blanks) == std::string_view::npos) continue;
    lines.push_back(cells_of(line, number));
  }
  return lines;
}

using Columns = std::map<std::string, std::size_t, std::less<>>;

/// Names of columns that a table must hold, and that it may hold.
struct Names {
  std::span<const std::string_view> wanted;
  std::span<const std::string_view> optional;

  [[nodiscard]] std::vector<std::string_view> all() const {
    std::vector<std::string_view> names(wanted.begin(), wanted.end());
    names.insert(names.end(), optional.begin(), optional.end());
    return names;
  }
};

Result<Columns> columns_of(const std::vector<Cell>& header, const Names& names, const std::string& source) {
  const std::vector<std::string_view> known = names.all();
  Columns columns;
  for (std::size_t index = 0; index < header.size(); ++index) {
    const Cell& name = header[index];
    const std::string where = place(source, name.position);
    if (std::ranges::find(known, name.text) == known.end()) {
      return refuse(where, "unknown column `" + name.text + "`", netmodels::accepted_names(name.text, known));
    }
    if (!columns.emplace(name.text, index).second)
      return refuse(where, "duplicate column `" + name.text + "`");
  }
  for (const std::string_view name : names.wanted) {
    if (columns.contains(name)) continue;
    return refuse(place(source, header.front().position), "column `" + std::string(name) + "` is missing",
                  "columns are " + netmodels::join(names.wanted));
  }
  return columns;
}

template <class Number>
bool read_whole(std::string_view text, Number& number) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc{} && end == text.data() + text.size();
}

tl::unexpected<netmodels::Error> wrong_cell(const std::string& where, std::string_view column,
                                            const std::string& text, std::string_view accepted) {
  const std::string found = text.empty() ? "is empty" : "is `" + text + "`";
  return refuse(where, "column `" + std::string(column) + "` " + found, std::string(accepted));
}

}  // namespace

Result<TableFile> TableFile::read(const std::filesystem::path& path,
                                  std::span<const std::string_view> columns,
                                  std::span<const std::string_view> optional) {
  GRADSIM_TRY(text, files::read_text(path, {most_table_bytes}));
  std::vector<std::vector<Cell>> lines = lines_of(*text);
  TableFile table;
  table.source_ = path.string();
  if (lines.empty()) {
    return refuse(table.source_, "the file has no table",
                  "write a line that names the columns " + netmodels::join(columns));
  }
  GRADSIM_TRY(found, columns_of(lines.front(), {columns, optional}, table.source_));
  table.columns_ = std::move(*found);
  const std::size_t width = lines.front().size();
  lines.erase(lines.begin());
  if (lines.empty()) return refuse(table.source_, "the table has no rows", "at least one");
  for (const auto& row : lines) {
    if (row.size() == width) continue;
    return refuse(place(table.source_, row.front().position),
                  "a row of " + std::to_string(row.size()) + " cells",
                  "one for each of the " + std::to_string(width) + " columns");
  }
  table.rows_ = std::move(lines);
  return table;
}

const Cell* TableFile::cell(std::size_t row, std::string_view column) const {
  assert(row < rows_.size());
  const auto index = columns_.find(column);
  return index == columns_.end() ? nullptr : &rows_[row][index->second];
}

const std::string& TableFile::text(std::size_t row, std::string_view column) const {
  static const std::string absent;
  const Cell* found = cell(row, column);
  return found == nullptr ? absent : found->text;
}

std::string TableFile::where(std::size_t row, std::string_view column) const {
  const Cell* found = cell(row, column);
  return place(source_, found == nullptr ? rows_[row].front().position : found->position);
}

Result<double> TableFile::number(std::size_t row, std::string_view column) const {
  double value = 0;
  const std::string& found = text(row, column);
  if (read_whole(found, value) && std::isfinite(value) && value >= 0) return value;
  return wrong_cell(where(row, column), column, found, "a number of at least 0");
}

Result<std::int64_t> TableFile::count(std::size_t row, std::string_view column) const {
  std::int64_t value = 0;
  const std::string& found = text(row, column);
  if (read_whole(found, value) && value >= 0) return value;
  return wrong_cell(where(row, column), column, found, "a whole number of at least 0");
}

}  // namespace sim::language
