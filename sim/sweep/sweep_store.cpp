// Writing and reading sweeps.
#include "sim/sweep/sweep_store.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files/text_hash.hpp"

namespace sim::sweep {
namespace {

namespace fs = std::filesystem;
using netmodels::refuse;
using netmodels::Result;

constexpr std::string_view schema_version = "1";
constexpr std::int64_t application_id = 0x67726164;  // "grad", in the header of each file of a sweep

std::string print_axes(const std::vector<SweepAxis>& axes) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const SweepAxis& axis : axes) json[axis.key] = axis.values;
  return json.dump();
}

std::vector<SweepAxis> read_axes(const std::string& text) {
  std::vector<SweepAxis> axes;
  const auto json = nlohmann::ordered_json::parse(text);
  for (const auto& [key, values] : json.items())
    axes.push_back({key, values.get<std::vector<std::string>>()});
  return axes;
}

/// A plain file, or one that is to be made.
bool can_be_locked(const fs::path& path) {
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  return path != ":memory:" && (!fs::exists(status) || fs::is_regular_file(status));
}

/// Whether a file is what a sweep leaves whose disk was full, or that was killed, before it had written its
/// identity: nothing, or its header alone. Another program's file without tables has another header.
bool is_only_begun(const fs::path& path) {
  const auto database = Database::open(path, false);
  if (!database) return false;
  const auto count = [&database](const char* question) {
    Statement answer(*database, question);
    return answer.step() ? answer.count(0) : 0;
  };
  if (count("SELECT count(*) FROM sqlite_master") > 0) return false;
  return count("PRAGMA page_count") == 0 || count("PRAGMA application_id") == application_id;
}

}  // namespace

std::optional<std::string> difference(const SweepIdentity& there, SweepIdentity asked) {
  asked.file = there.file;  // the same file may go by another path
  if (there == asked) return std::nullopt;
  if (there.program != asked.program) return "it was written by version " + there.program;
  if (there.axes != asked.axes) return "its axes differ: " + print_axes(there.axes);
  if (there.design != asked.design) return "its design differs: " + there.design;
  if (there.steps != asked.steps) return there.steps ? "it keeps steps" : "it keeps no steps";
  if (there.part != asked.part)
    return there.part.is_whole() ? "it is of all points" : "it is of part " + there.part.text();
  return "its scenario differs: the file, a file that it names, or a --set has changed";
}

Result<SweepStore> SweepStore::open(const fs::path& path) {
  auto database = Database::open(path, false);
  if (!database)
    return tl::unexpected(
        netmodels::Error{"--db", "`" + path.string() + "`: " + database.error().what, database.error().hint});
  if (!database->has_table("meta") || !database->has_table("point"))
    return refuse("--db", "`" + path.string() + "` is not the file of a sweep",
                  "name a file that `sim sweep` wrote");
  SweepStore store(std::move(*database));
  Statement version(store.database_, "SELECT value FROM meta WHERE key = 'schema_version'");
  const std::string found = version.step() ? version.text(0) : "none";
  if (found != schema_version) {
    return refuse("--db", fmt::format("`{}` has schema version {}", path.string(), found),
                  fmt::format("this program writes and reads version {}", schema_version));
  }
  try {
    const SweepIdentity identity = store.identity();
    for (const SweepAxis& axis : identity.axes) store.axes_.push_back(axis.key);
    store.planned_ = identity.part.size(identity.points);
  } catch (const nlohmann::json::exception&) {
    return refuse("--db", "`" + path.string() + "` is damaged: its axes cannot be read",
                  "sweep anew, into another file");
  }
  return store;
}

Result<SweepStore> SweepStore::open(const fs::path& path, const SweepIdentity& identity, bool resume) {
  if (!can_be_locked(path)) return open_locked(path, identity, resume);
  auto lock = files::FileLock::acquire(path);
  if (!lock)
    return tl::unexpected(
        netmodels::Error{"--db", "`" + path.string() + "`: " + lock.error().what, lock.error().hint});
  auto store = open_locked(path, identity, resume);
  if (store) store->lock_ = std::move(*lock);
  return store;
}

Result<SweepStore> SweepStore::open_locked(const fs::path& path, const SweepIdentity& identity, bool resume) {
  std::error_code unknown;  // a folder or a device has no size; SQLite reports the error
  const auto size = path == ":memory:" ? 0 : fs::file_size(path, unknown);
  if (!unknown && size > 0 && !is_only_begun(path)) {
    auto store = open(path);
    if (!store) return store;
    if (!resume) {
      return refuse("--db", "`" + path.string() + "` already contains a sweep",
                    "continue it by --resume, or name another file");
    }
    if (const auto differs = difference(store->identity(), identity))
      return refuse("--resume", "`" + path.string() + "` contains another sweep: " + *differs,
                    "name another file, or repeat the options of that sweep");
    store->database_.write_ahead();
    if (!identity.part.is_whole()) store->database_.run("DELETE FROM meta WHERE key = 'ended'");
    return store;
  }
  auto database = Database::open(path, true);
  if (!database)
    return tl::unexpected(
        netmodels::Error{"--db", "`" + path.string() + "`: " + database.error().what, database.error().hint});
  SweepStore store(std::move(*database));
  for (const SweepAxis& axis : identity.axes) store.axes_.push_back(axis.key);
  store.planned_ = identity.part.size(identity.points);
  store.create(identity);
  return store;
}

void SweepStore::create(const SweepIdentity& identity) const {
  database_.run(fmt::format("PRAGMA application_id={}", application_id));
  database_.write_ahead();
  Transaction whole(database_);
  std::string keys;
  for (const std::string& axis : axes_) keys += ", " + sql_name(axis) + " TEXT";
  database_.run(
      "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);"
      "CREATE TABLE scenario(hash TEXT PRIMARY KEY, text TEXT);"
      "CREATE TABLE point(id INTEGER PRIMARY KEY, state TEXT, message TEXT, wall_s REAL, "
      "scenario_hash TEXT" +
      keys + ");");
  Statement insert(database_, "INSERT INTO meta VALUES(?, ?)");
  std::vector<std::pair<std::string, std::string>> facts{{"schema_version", std::string(schema_version)},
                                                         {"file", identity.file},
                                                         {"question", identity.question},
                                                         {"scenario", identity.scenario},
                                                         {"program", identity.program},
                                                         {"design", identity.design},
                                                         {"axes", print_axes(identity.axes)},
                                                         {"steps", identity.steps ? "kept" : "not kept"},
                                                         {"points", std::to_string(identity.points)}};
  if (!identity.part.is_whole()) facts.emplace_back("part", identity.part.text());
  for (const auto& [key, value] : facts) {
    insert.bind(key).bind(value).step();
    insert.reset();
  }
  whole.commit();
}

SweepIdentity SweepStore::identity() const {
  SweepIdentity found;
  Statement rows(database_, "SELECT key, value FROM meta");
  while (rows.step()) {
    const std::string key = rows.text(0);
    const std::string value = rows.text(1);
    if (key == "file") found.file = value;
    if (key == "question") found.question = value;
    if (key == "scenario") found.scenario = value;
    if (key == "program") found.program = value;
    if (key == "design") found.design = value;
    if (key == "axes") found.axes = read_axes(value);
    if (key == "steps") found.steps = value == "kept";
    if (key == "points") found.points = std::strtoull(value.c_str(), nullptr, 10);
    if (key == "part") found.part = parse_part(value).value_or(SweepPart{});
  }
  return found;
}

void SweepStore::note_end(const std::string& launch) const {
  Statement(database_, "INSERT OR REPLACE INTO meta VALUES('ended', ?)").bind(launch).step();
}

std::optional<std::string> SweepStore::noted_end() const {
  Statement note(database_, "SELECT value FROM meta WHERE key = 'ended'");
  return note.step() ? std::optional(note.text(0)) : std::nullopt;
}

SweepStore::~SweepStore() {
  if (lock_ && database_.handle() != nullptr) database_.end_write_ahead();
}

bool SweepStore::is_sound() const {
  Statement check(database_, "PRAGMA quick_check(1)");
  return check.step() && check.text(0) == "ok";
}

std::vector<std::size_t> SweepStore::done() const {
  std::vector<std::size_t> numbers;
  if (!database_.has_table("result")) return numbers;
  Statement rows(database_,
                 "WITH kept AS (SELECT point, count(*) AS rows FROM result GROUP BY point) "
                 "SELECT id FROM point JOIN kept ON kept.point = id "
                 "WHERE state = 'done' AND rows = (SELECT max(rows) FROM kept) ORDER BY id");
  while (rows.step()) numbers.push_back(static_cast<std::size_t>(rows.count(0)));
  return numbers;
}

/// A point that failed before may have left some.
void SweepStore::forget_rows(std::size_t point) const {
  for (const std::string table : {"result", "step"}) {
    if (!database_.has_table(table)) continue;
    Statement(database_, "DELETE FROM " + table + " WHERE point = ?")
        .bind(static_cast<std::int64_t>(point))
        .step();
  }
}

void SweepStore::write_rows(const SweptPoint& point) const {
  if (!database_.has_table("result")) {
    std::vector<std::string> columns;
    for (const command_line::Column& heading : point.rows.columns) columns.push_back(heading.key);
    create_result_table(database_, columns);
  }
  std::string places = "?";
  for (std::size_t i = 0; i < point.rows.columns.size(); ++i) places += ", ?";
  Statement insert(database_, "INSERT INTO result VALUES(" + places + ")");
  for (const auto& row : point.rows.rows) {
    insert.bind(static_cast<std::int64_t>(point.number));
    for (const command_line::Cell& cell : row) insert.bind(cell);
    insert.step();
    insert.reset();
  }
}

void SweepStore::write(const SweptPoint& point) {
  Transaction whole(database_);
  const std::string hash = point.scenario.empty() ? "" : files::hash_of(point.scenario);
  if (!hash.empty())
    Statement(database_, "INSERT OR IGNORE INTO scenario VALUES(?, ?)")
        .bind(hash)
        .bind(point.scenario)
        .step();
  std::string places = "?, ?, ?, ?, ?";
  for (std::size_t i = 0; i < axes_.size(); ++i) places += ", ?";
  Statement insert(database_, "INSERT OR REPLACE INTO point VALUES(" + places + ")");
  insert.bind(static_cast<std::int64_t>(point.number)).bind(std::string(point.failure ? "failed" : "done"));
  insert.bind(point.failure ? command_line::Cell(*point.failure) : command_line::Cell());
  insert.bind(point.duration.count).bind(hash.empty() ? command_line::Cell() : command_line::Cell(hash));
  for (const std::string& value : point.values) insert.bind(value);
  insert.step();
  forget_rows(point.number);
  if (!point.failure) write_rows(point);
  if (!point.steps.empty()) write_steps(database_, point.number, point.steps);
  whole.commit();
}

void create_result_table(const Database& database, const std::vector<std::string>& columns) {
  std::string names = "point INTEGER REFERENCES point(id)";
  for (const std::string& column : columns) names += ", " + sql_name(column);
  database.run("CREATE TABLE result(" + names + "); CREATE INDEX result_point ON result(point);");
}

std::vector<std::string> columns_of(const Database& database, const std::string& schema,
                                    const std::string& table) {
  std::vector<std::string> names;
  Statement columns(database, "SELECT name FROM pragma_table_info(?, ?) ORDER BY cid");
  columns.bind(table).bind(schema);
  while (columns.step())
    if (columns.text(0) != "point") names.push_back(columns.text(0));
  return names;
}

command_line::Table SweepStore::table(std::span<const std::string_view> without) const {
  std::vector<std::string> results = columns_of(database_, "main", "result");
  const bool any = !results.empty();
  std::erase_if(results, [&](const std::string& name) {
    return std::ranges::find(without, std::string_view(name)) != without.end();
  });
  command_line::Table stored;
  std::string columns = "point.id";
  const auto add = [&](const std::string& name, const std::string& from) {
    columns += ", " + from + "." + sql_name(name);
  };
  stored.columns.push_back({"point", "", {}});
  for (const std::string& axis : axes_) {
    stored.columns.push_back({axis, "", {}});
    add(axis, "point");
  }
  for (const std::string& name : results) {
    stored.columns.push_back({name, "", {}});
    add(name, "result");
  }
  stored.columns.push_back({"failure", "", {}});
  add("message", "point");
  Statement rows(database_, "SELECT " + columns + " FROM point" +
                                (any ? " LEFT JOIN result ON result.point = point.id "
                                       "ORDER BY point.id, result.rowid"
                                     : " ORDER BY point.id"));
  while (rows.step()) {
    auto& cells = stored.rows.emplace_back();
    cells.reserve(stored.columns.size());
    for (int column = 0; column < rows.columns(); ++column) cells.push_back(rows.cell(column));
  }
  return stored;
}

}  // namespace sim::sweep
