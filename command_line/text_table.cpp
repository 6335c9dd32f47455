// A table as aligned text: one unit and one number of decimals for each column.
#include "command_line/text_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "netmodels/quantity.hpp"

namespace command_line {
namespace {

struct Unit {
  std::string_view name;
  double size;  ///< size in base units
};

constexpr std::array time_units{Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"ns", 1e-9}};
constexpr std::array size_units{Unit{"TB", 1e12}, Unit{"GB", 1e9}, Unit{"MB", 1e6}, Unit{"kB", 1e3},
                                Unit{"B", 1}};
constexpr std::array rate_units{Unit{"Tbit/s", 1.25e11}, Unit{"Gbit/s", 1.25e8}, Unit{"Mbit/s", 1.25e5},
                                Unit{"kbit/s", 1.25e2}};
constexpr std::array share_units{Unit{"%", 1e-2}};
constexpr std::array no_units{Unit{"", 1}};

std::span<const Unit> units_of(Measure measure) {
  switch (measure) {
    case Measure::time: return time_units;
    case Measure::size: return size_units;
    case Measure::rate: return rate_units;
    case Measure::share: return share_units;
    case Measure::none: return no_units;
  }
  return no_units;
}

/// How the numbers of one column are written.
struct NumberFormat {
  Unit unit{"", 1};
  int decimals = 0;
};

/// The sizes of a column's significant values: neither 0 nor, next to the largest, mere rounding.
struct Range {
  double smallest = 0;
  double largest = 0;
};

/// Three digits of the smallest value, four where the values are below 1000, and at most three decimals; all
/// three digits where values are from 0.001 to 0.1.
int decimals_for(const Range& range, double unit) {
  const bool small = range.smallest >= 0.001 * unit && range.largest < 0.1 * unit;
  const int most = small ? 5 : 3;
  if (range.smallest == 0) return 0;
  const int decimals =
      std::clamp(2 - static_cast<int>(std::floor(std::log10(range.smallest / unit))), 0, most);
  return decimals == 0 && range.largest < 1000 * unit ? 1 : decimals;
}

Range range_of(const Table& table, std::size_t column) {
  constexpr double rounding = 1e-9;
  std::vector<double> sizes;
  for (const auto& row : table.rows) {
    const double* value = std::get_if<double>(&row[column]);
    if (value != nullptr && std::isfinite(*value)) sizes.push_back(std::abs(*value));
  }
  Range range;
  for (const double size : sizes) range.largest = std::max(range.largest, size);
  range.smallest = range.largest;
  for (const double size : sizes) {
    if (size > rounding * range.largest) range.smallest = std::min(range.smallest, size);
  }
  return range;
}

/// The largest unit in which the smallest value is at least 1, unless the largest value then gets too long.
NumberFormat number_format_of(const Table& table, std::size_t column) {
  constexpr double most = 1e5;
  const Range range = range_of(table, column);
  const std::span<const Unit> units = units_of(table.columns[column].measure);
  const auto fits = [&](const Unit& unit) { return range.smallest >= unit.size; };
  auto found = range.largest == 0 ? units.begin() : std::ranges::find_if(units, fits);
  if (found == units.end()) --found;
  while (found != units.begin() && range.largest >= most * found->size) --found;
  return {*found, decimals_for(range, found->size)};
}

bool is_number(const Cell& cell) {
  return std::holds_alternative<double>(cell) || std::holds_alternative<std::int64_t>(cell);
}

std::string cell_text(const Cell& cell, const NumberFormat& format) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *count);
  if (const auto* value = std::get_if<double>(&cell))
    return fmt::format("{:.{}f}", *value / format.unit.size, format.decimals);
  return "-";
}

/// All significant digits of a single value, with its unit.
std::string exact(const Cell& cell, Measure measure) {
  const double* value = std::get_if<double>(&cell);
  if (value == nullptr) return cell_text(cell, {});
  constexpr int digits = 10;
  if (measure == Measure::time) return netmodels::print(netmodels::Seconds{*value}, digits);
  if (measure == Measure::size) return netmodels::print(netmodels::Bytes{*value}, digits);
  if (measure == Measure::rate) return netmodels::print(netmodels::Bandwidth{*value}, digits);
  return fmt::format("{:.{}g}", *value, digits);
}

/// Counted in characters, not in bytes of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

void append_cell(std::string& line, std::string_view text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, width_of(text)), ' ');
  if (!line.empty()) line += "  ";
  line += right ? blanks + std::string(text) : std::string(text) + blanks;
}

void end_line(std::string& lines, std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
  lines += line + "\n";
  line.clear();
}

TextColumn text_column(const Table& table, std::size_t column) {
  const NumberFormat format = number_format_of(table, column);
  TextColumn result;
  const Column& heading = table.columns[column];
  result.title =
      format.unit.name.empty() ? heading.title : fmt::format("{} ({})", heading.title, format.unit.name);
  for (const auto& row : table.rows) {
    result.cells.push_back(cell_text(row[column], format));
    result.right = result.right || is_number(row[column]);
  }
  return result;
}

std::size_t width_of(const TextColumn& column) {
  std::size_t width = width_of(column.title);
  for (const std::string& cell : column.cells) width = std::max(width, width_of(cell));
  return width;
}

}  // namespace

std::vector<TextColumn> text_columns(const Table& table) {
  std::vector<TextColumn> columns;
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    columns.push_back(text_column(table, column));
  return columns;
}

namespace {

/// Lines of the columns with these indices.
std::string block_text(std::span<const TextColumn> columns, std::span<const std::size_t> chosen,
                       std::size_t rows) {
  std::string lines;
  std::string line;
  for (std::size_t row = 0; row <= rows; ++row) {
    for (const std::size_t column : chosen) {
      const TextColumn& texts = columns[column];
      append_cell(line, row == 0 ? texts.title : texts.cells[row - 1], width_of(texts), texts.right);
    }
    end_line(lines, line);
  }
  return lines;
}

/// The indices of columns that are printed side by side; each block begins with the first column.
std::vector<std::vector<std::size_t>> blocks_of(std::span<const TextColumn> columns, std::size_t width) {
  constexpr std::size_t gap = 2;
  std::vector<std::vector<std::size_t>> blocks{{}};
  std::size_t used = 0;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const std::size_t needed = width_of(columns[column]);
    if (used + gap + needed > width && blocks.back().size() > 1) {
      blocks.push_back({0});
      used = width_of(columns[0]);
    }
    used += (blocks.back().empty() ? 0 : gap) + needed;
    blocks.back().push_back(column);
  }
  return blocks;
}

}  // namespace

std::string text_table(const Table& table, std::size_t width) {
  const std::vector<TextColumn> columns = text_columns(table);
  std::string text;
  for (const std::vector<std::size_t>& block : blocks_of(columns, width))
    text += (text.empty() ? "" : "\n") + block_text(columns, block, table.rows.size());
  return text;
}

std::string markdown_table(const Table& table) {
  const auto cell = [](std::string_view text) {
    std::string escaped = " ";
    for (const char letter : text) {
      if (letter == '|') escaped += '\\';
      escaped += letter;
    }
    return escaped + " |";
  };
  const std::vector<TextColumn> columns = text_columns(table);
  std::string titles = "|";
  std::string rule = "|";
  for (const TextColumn& column : columns) {
    titles += cell(column.title);
    rule += column.right ? "--:|" : "---|";
  }
  std::string text = titles + "\n" + rule + "\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    text += "|";
    for (const TextColumn& column : columns) text += cell(column.cells[row]);
    text += "\n";
  }
  return text;
}

std::string text_list(const Table& table) {
  std::size_t width = 0;
  for (const Column& heading : table.columns) width = std::max(width, width_of(heading.title));
  std::string lines;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    std::string line;
    append_cell(line, table.columns[column].title, width, false);
    append_cell(line, exact(table.rows.front()[column], table.columns[column].measure), 0, false);
    end_line(lines, line);
  }
  return lines;
}

}  // namespace command_line
