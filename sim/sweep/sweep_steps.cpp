// Turns lines into rows.
#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <vector>

#include "command_line/csv.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace sim::sweep {
namespace {

/// The next line, with those that a quoted line break of it goes on to.
bool next_line(std::istream& lines, std::string& line) {
  if (!std::getline(lines, line)) return false;
  for (std::string more; command_line::has_open_quote(line) && std::getline(lines, more);)
    line += "\n" + more;
  return true;
}

/// Values that SQLite must not read as numbers, even where they look like one.
bool is_text(const std::string& column) {
  constexpr std::array<std::string_view, 5> texts{"arm", "phase", "collective", "method", "traffic"};
  return std::ranges::find(texts, std::string_view(column)) != texts.end();
}

}  // namespace

void create_step_table(const Database& database, const std::vector<std::string>& columns) {
  std::string names = "point INTEGER REFERENCES point(id)";
  for (const std::string& column : columns)
    names += ", " + sql_name(column) + (is_text(column) ? " TEXT" : " NUMERIC");
  database.run("CREATE TABLE step(" + names + "); CREATE INDEX step_point ON step(point);");
}

void write_steps(const Database& database, std::size_t point, const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  std::vector<std::string> cells;
  if (!next_line(lines, line)) return;
  command_line::split_csv_line(line, cells);
  if (!database.has_table("step")) create_step_table(database, cells);
  std::string places = "?";
  for (std::size_t i = 0; i < cells.size(); ++i) places += ", ?";
  Statement insert(database, "INSERT INTO step VALUES(" + places + ")");
  while (next_line(lines, line)) {
    command_line::split_csv_line(line, cells);
    insert.bind(static_cast<std::int64_t>(point));
    for (const std::string& cell : cells)
      insert.bind(cell.empty() ? command_line::Cell() : command_line::Cell(cell));
    insert.step();
    insert.reset();
  }
}

}  // namespace sim::sweep
