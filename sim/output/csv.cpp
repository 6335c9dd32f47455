// A sheet as comma-separated values: quoting, and numbers that read back to the same value.
#include "sim/output/csv.hpp"

#include <fmt/format.h>

namespace sim::output {
namespace {

std::string write(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return csv_field(*text);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *count);
  if (const auto* value = std::get_if<double>(&cell)) return fmt::format("{}", *value);
  return "";
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_header(const Sheet& sheet) {
  std::string line;
  for (const Heading& heading : sheet.headings) line += (line.empty() ? "" : ",") + csv_field(heading.key);
  return line + "\n";
}

std::string csv_rows(const Sheet& sheet) {
  std::string lines;
  for (const auto& row : sheet.rows) {
    for (std::size_t column = 0; column < row.size(); ++column)
      lines += (column == 0 ? "" : ",") + write(row[column]);
    lines += "\n";
  }
  return lines;
}

}  // namespace sim::output
