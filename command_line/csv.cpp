// A table as comma-separated values: quoting, and numbers that read back to the same value.
#include "command_line/csv.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace command_line {
namespace {

std::string csv_cell(const Cell& cell) {
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

std::string csv_header(const Table& table) {
  std::string line;
  for (const Column& heading : table.columns) line += (line.empty() ? "" : ",") + csv_field(heading.key);
  return line + "\n";
}

std::string csv_rows(const Table& table) {
  std::string lines;
  for (const auto& row : table.rows) {
    for (std::size_t column = 0; column < row.size(); ++column)
      lines += (column == 0 ? "" : ",") + csv_cell(row[column]);
    lines += "\n";
  }
  return lines;
}

bool has_open_quote(std::string_view text) { return std::ranges::count(text, '"') % 2 != 0; }

void split_csv_line(std::string_view line, std::vector<std::string>& fields) {
  std::size_t count = 0;
  bool quoted = false;
  const auto begin_field = [&] {
    if (fields.size() == count) fields.emplace_back();
    fields[count++].clear();
  };
  begin_field();
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char letter = line[at];
    const bool doubled = quoted && letter == '"' && at + 1 < line.size() && line[at + 1] == '"';
    if (doubled) {
      fields[count - 1] += line[at++];
    } else if (letter == '"') {
      quoted = !quoted;
    } else if (letter == ',' && !quoted) {
      begin_field();
    } else {
      fields[count - 1] += letter;
    }
  }
  fields.resize(count);
}

}  // namespace command_line
