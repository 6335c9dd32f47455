// A sheet as aligned text: one unit and one number of decimals for each column.
#include "sim/output/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

namespace sim::output {
namespace {

struct Unit {
  std::string_view name;
  double size;  ///< in base units
};

constexpr std::array time_units{Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"ns", 1e-9}};
constexpr std::array size_units{Unit{"TB", 1e12}, Unit{"GB", 1e9}, Unit{"MB", 1e6}, Unit{"kB", 1e3}, Unit{"B", 1}};
constexpr std::array share_units{Unit{"%", 1e-2}};
constexpr std::array no_units{Unit{"", 1}};

std::span<const Unit> units_of(Measure measure) {
  switch (measure) {
    case Measure::time: return time_units;
    case Measure::size: return size_units;
    case Measure::share: return share_units;
    case Measure::none: return no_units;
  }
  return no_units;
}

/// How the numbers of one column are written.
struct Style {
  Unit unit;
  int decimals = 0;
};

/// Three digits of the smallest value, as long as that takes no more than three decimals.
int decimals_for(double smallest) {
  constexpr int most = 3;
  if (smallest == 0) return 0;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(smallest))), 0, most);
}

Style style_of(const Sheet& sheet, std::size_t column) {
  double largest = 0;
  double smallest = 0;  // of those above 0
  for (const auto& row : sheet.rows) {
    const double* value = std::get_if<double>(&row[column]);
    if (value == nullptr || *value == 0 || !std::isfinite(*value)) continue;
    const double size = std::abs(*value);
    largest = std::max(largest, size);
    smallest = smallest == 0 ? size : std::min(smallest, size);
  }
  const std::span<const Unit> units = units_of(sheet.headings[column].measure);
  const auto fits = [&](const Unit& unit) { return largest >= unit.size; };
  const auto found = std::ranges::find_if(units, fits);
  const Unit unit = largest == 0 ? units.front() : (found == units.end() ? units.back() : *found);
  return {unit, decimals_for(smallest / unit.size)};
}

bool is_number(const Cell& cell) {
  return std::holds_alternative<double>(cell) || std::holds_alternative<std::int64_t>(cell);
}

std::string write(const Cell& cell, const Style& style) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *count);
  if (const auto* value = std::get_if<double>(&cell)) return fmt::format("{:.{}f}", *value / style.unit.size, style.decimals);
  return "-";
}

/// Counted in characters, not in bytes of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

void put(std::string& line, std::string_view text, std::size_t width, bool right) {
  const std::string blanks(width - width_of(text), ' ');
  if (!line.empty()) line += "  ";
  line += right ? blanks + std::string(text) : std::string(text) + blanks;
}

void end_line(std::string& lines, std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
  lines += line + "\n";
  line.clear();
}

struct TextColumn {
  std::vector<std::string> cells;  ///< the title first
  std::size_t width = 0;
  bool right = false;
};

TextColumn text_column(const Sheet& sheet, std::size_t column) {
  const Style style = style_of(sheet, column);
  TextColumn result;
  const Heading& heading = sheet.headings[column];
  result.cells.push_back(style.unit.name.empty() ? heading.title : fmt::format("{} ({})", heading.title, style.unit.name));
  for (const auto& row : sheet.rows) {
    result.cells.push_back(write(row[column], style));
    result.right = result.right || is_number(row[column]);
  }
  for (const std::string& cell : result.cells) result.width = std::max(result.width, width_of(cell));
  return result;
}

}  // namespace

std::string table(const Sheet& sheet) {
  std::vector<TextColumn> columns;
  for (std::size_t column = 0; column < sheet.headings.size(); ++column) columns.push_back(text_column(sheet, column));
  std::string lines;
  std::string line;
  for (std::size_t row = 0; row <= sheet.rows.size(); ++row) {
    for (const TextColumn& column : columns) put(line, column.cells[row], column.width, column.right);
    end_line(lines, line);
  }
  return lines;
}

}  // namespace sim::output
