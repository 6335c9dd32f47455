// Columns by their keys, cells as numbers.
#include "sim/output/sheet_column.hpp"

#include <algorithm>
#include <cstdint>

namespace sim::output {

std::optional<std::size_t> column_of(const Sheet& sheet, std::string_view key) {
  const auto found = std::ranges::find(sheet.headings, key, &Heading::key);
  if (found == sheet.headings.end()) return std::nullopt;
  return static_cast<std::size_t>(found - sheet.headings.begin());
}

std::optional<double> number_of(const Cell& cell) {
  if (const auto* value = std::get_if<double>(&cell)) return *value;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*count);
  return std::nullopt;
}

}  // namespace sim::output
