// Collecting rows by SQL over attached files.
#include "sim/sweep/part_joiner.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace sim::sweep {
namespace {

/// Tables with a row or more per point.
constexpr std::array<std::string_view, 2> row_tables{"result", "step"};

/// Points that this file and what was collected have completed both.
constexpr std::string_view in_both =
    "(SELECT f.id FROM temp.offered f JOIN temp.kept_point k ON k.id = f.id "
    "WHERE f.state = 'done' AND k.state = 'done')";

std::optional<std::int64_t> first_number(const Database& database, const std::string& question) {
  Statement rows(database, question);
  return rows.step() ? std::optional(rows.count(0)) : std::nullopt;
}

}  // namespace

PartJoiner::PartJoiner(Database database) : database_(std::move(database)) {
  database_.run(
      "CREATE TEMP TABLE kept_point AS SELECT * FROM main.point;"
      "CREATE UNIQUE INDEX temp.kept_point_id ON kept_point(id);"
      "CREATE TEMP TABLE kept_scenario(hash TEXT PRIMARY KEY, text TEXT);"
      "CREATE TEMP TABLE offered(id INTEGER PRIMARY KEY, state TEXT);"
      "CREATE TEMP TABLE taken(id INTEGER PRIMARY KEY);");
}

std::optional<std::string> PartJoiner::add(const std::filesystem::path& file,
                                           const std::vector<std::size_t>& completed) {
  Statement(database_, "ATTACH ? AS part").bind(file.string()).step();
  offer(completed);
  auto differs = difference();
  if (!differs) collect();
  database_.run("DETACH part");
  return differs;
}

/// Lists the points of the attached file: completed ones that have all rows, and failed ones.
void PartJoiner::offer(const std::vector<std::size_t>& completed) const {
  database_.run("BEGIN; DELETE FROM temp.offered; DELETE FROM temp.taken;");
  Statement insert(database_, "INSERT INTO temp.offered VALUES(?, 'done')");
  for (const std::size_t point : completed) {
    insert.bind(static_cast<std::int64_t>(point)).step();
    insert.reset();
  }
  database_.run(
      "INSERT INTO temp.offered SELECT id, 'failed' FROM part.point WHERE state = 'failed';"
      "INSERT INTO temp.taken SELECT f.id FROM temp.offered f LEFT JOIN temp.kept_point k ON k.id = f.id "
      "WHERE k.id IS NULL OR (k.state = 'failed' AND f.state = 'done'); COMMIT;");
}

bool PartJoiner::has_part_table(const std::string& table) const {
  return !columns_of(database_, "part", table).empty();
}

std::optional<std::string> PartJoiner::difference() const {
  if (columns_of(database_, "part", "point") != columns_of(database_, "main", "point"))
    return "it has other columns of points";
  for (const std::string_view name : row_tables) {
    const std::string table(name);
    const auto kept = columns_of(database_, "temp", "kept_" + table);
    if (has_part_table(table) && !kept.empty() && columns_of(database_, "part", table) != kept)
      return fmt::format("it has other columns of the table `{}`", table);
  }
  if (const auto point = differing_point()) return fmt::format("it has other results for point {}", *point);
  return std::nullopt;
}

/// A point that both have completed with other results; how long it took may differ.
std::optional<std::int64_t> PartJoiner::differing_point() const {
  if (!first_number(database_, fmt::format("SELECT id FROM {} LIMIT 1", in_both))) return std::nullopt;
  std::string same = "1";
  for (const std::string& column : columns_of(database_, "main", "point"))
    if (column != "wall_s") same += fmt::format(" AND p.{0} IS k.{0}", sql_name(column));
  const auto point = first_number(
      database_, fmt::format("SELECT p.id FROM part.point p JOIN temp.kept_point k ON k.id = p.id "
                             "WHERE p.id IN {} AND NOT ({}) ORDER BY p.id LIMIT 1",
                             in_both, same));
  if (point) return point;
  for (const std::string_view table : row_tables) {
    if (!has_part_table(std::string(table))) continue;
    const auto row = first_number(
        database_, fmt::format("SELECT point FROM (SELECT * FROM part.{0} WHERE point IN {1} EXCEPT SELECT * "
                               "FROM temp.kept_{0}) ORDER BY point LIMIT 1",
                               table, in_both));
    if (row) return row;
  }
  return std::nullopt;
}

void PartJoiner::collect() const {
  database_.run("BEGIN");
  for (const std::string_view table : row_tables) collect_rows(std::string(table));
  database_.run(
      "DELETE FROM temp.kept_point WHERE id IN (SELECT id FROM temp.taken);"
      "INSERT INTO temp.kept_point SELECT * FROM part.point WHERE id IN (SELECT id FROM temp.taken);"
      "INSERT OR IGNORE INTO temp.kept_scenario SELECT * FROM part.scenario WHERE hash IN "
      "(SELECT scenario_hash FROM part.point WHERE id IN (SELECT id FROM temp.taken)); COMMIT;");
}

void PartJoiner::collect_rows(const std::string& table) const {
  if (!has_part_table(table)) return;
  if (columns_of(database_, "temp", "kept_" + table).empty())
    database_.run(fmt::format("CREATE TEMP TABLE kept_{0} AS SELECT * FROM part.{0} WHERE 0", table));
  database_.run(
      fmt::format("INSERT INTO temp.kept_{0} SELECT * FROM part.{0} WHERE point IN "
                  "(SELECT id FROM temp.taken) ORDER BY rowid",
                  table));
}

void PartJoiner::finish() {
  Transaction whole(database_);
  database_.run(
      "INSERT INTO main.scenario SELECT * FROM temp.kept_scenario ORDER BY hash;"
      "INSERT INTO main.point SELECT * FROM temp.kept_point ORDER BY id;");
  for (const std::string_view table : row_tables) write_rows(std::string(table));
  whole.commit();
}

void PartJoiner::write_rows(const std::string& table) const {
  const auto columns = columns_of(database_, "temp", "kept_" + table);
  if (columns.empty()) return;
  if (table == "step")
    create_step_table(database_, columns);
  else
    create_result_table(database_, columns);
  database_.run(fmt::format("INSERT INTO main.{0} SELECT * FROM temp.kept_{0} ORDER BY point, rowid", table));
}

std::vector<std::size_t> PartJoiner::points() const {
  std::vector<std::size_t> numbers;
  Statement rows(database_, "SELECT id FROM temp.kept_point ORDER BY id");
  while (rows.step()) numbers.push_back(static_cast<std::size_t>(rows.count(0)));
  return numbers;
}

std::size_t PartJoiner::failed() const {
  return static_cast<std::size_t>(
      first_number(database_, "SELECT count(*) FROM temp.kept_point WHERE state = 'failed'").value_or(0));
}

}  // namespace sim::sweep
