// Talking to SQLite.
#include "sim/sweep/database.hpp"

#include <sqlite3.h>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

namespace sim::sweep {
namespace {

/// SQLite's words, and the reason of the system where it has one.
std::string last_error(sqlite3* database) {
  const int cause = sqlite3_system_errno(database);
  const std::string words = sqlite3_errmsg(database);
  return cause == 0 ? words : words + " (" + std::generic_category().message(cause) + ")";
}

[[noreturn]] void fail(sqlite3* database) {
  const char* file = sqlite3_db_filename(database, "main");
  const std::string name = file == nullptr || *file == '\0' ? "" : " `" + std::string(file) + "`";
  throw std::runtime_error("the database" + name + " cannot be written or read: " + last_error(database));
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Statement::Statement(const Database& database, std::string_view text) : database_(database.handle()) {
  sqlite3_stmt* prepared = nullptr;
  const int done =
      sqlite3_prepare_v2(database_, text.data(), static_cast<int>(text.size()), &prepared, nullptr);
  if (done != SQLITE_OK) fail(database_);
  statement_.reset(prepared);
}

Statement& Statement::bind(const command_line::Cell& cell) {
  sqlite3_stmt* to = statement_.get();
  ++bound_;
  int done = SQLITE_OK;
  if (const auto* text = std::get_if<std::string>(&cell))
    done = sqlite3_bind_text(to, bound_, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
  else if (const auto* count = std::get_if<std::int64_t>(&cell))
    done = sqlite3_bind_int64(to, bound_, *count);
  else if (const auto* value = std::get_if<double>(&cell))
    done = sqlite3_bind_double(to, bound_, *value);
  else
    done = sqlite3_bind_null(to, bound_);
  if (done != SQLITE_OK) fail(database_);
  return *this;
}

bool Statement::step() {
  const int done = sqlite3_step(statement_.get());
  if (done != SQLITE_ROW && done != SQLITE_DONE) fail(database_);
  return done == SQLITE_ROW;
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  bound_ = 0;
}

int Statement::columns() const { return sqlite3_column_count(statement_.get()); }
std::int64_t Statement::count(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return text == nullptr
             ? ""
             : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

command_line::Cell Statement::cell(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER: return count(column);
    case SQLITE_FLOAT: return sqlite3_column_double(statement_.get(), column);
    case SQLITE_TEXT: return text(column);
    default: return std::monostate{};
  }
}

namespace {

/// The first read of the file shows whether it is a database at all.
bool can_be_read(sqlite3* database) {
  return sqlite3_exec(database, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr) == SQLITE_OK;
}

/// A URI for SQLite, which shall not look for a log, nor make one.
std::string unchanging(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char letter : std::filesystem::absolute(path).string()) {
    constexpr std::string_view special = "%?#";
    uri += special.find(letter) == std::string_view::npos
               ? std::string(1, letter)
               : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return uri + "?immutable=1";
}

/// Whether rows may lie in a log that a disk without writing does not let us merge.
bool has_log(const std::filesystem::path& path) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path.string() + "-wal", unknown);
  return !unknown && size > 0;
}

}  // namespace

netmodels::Result<Database> Database::open(const std::filesystem::path& path, bool create) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
  const int opened = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  Database database(handle);
  constexpr int patience = 10'000;  // milliseconds, while another process looks into the file
  if (opened == SQLITE_OK) sqlite3_busy_timeout(handle, patience);
  if (opened == SQLITE_OK && can_be_read(handle)) return database;
  const auto refused =
      netmodels::refuse(path.string(), "it cannot be opened: " + last_error(handle),
                        "name a file written by a sweep, or a new one in an existing folder");
  if (create || has_log(path)) return refused;
  sqlite3* reading = nullptr;
  const int found =
      sqlite3_open_v2(unchanging(path).c_str(), &reading, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  Database unchanged(reading);
  if (found != SQLITE_OK || !can_be_read(reading)) return refused;
  return unchanged;
}

void Database::write_ahead() const { run("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"); }

void Database::end_write_ahead() const {
  sqlite3_exec(handle(), "PRAGMA journal_mode=DELETE", nullptr, nullptr, nullptr);
}

void Database::run(const std::string& text) const {
  if (sqlite3_exec(handle(), text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(handle());
}

bool Database::has_table(std::string_view name) const {
  Statement found(*this, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  return found.bind(std::string(name)).step();
}

Transaction::Transaction(const Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}
void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

std::string sql_name(std::string_view name) {
  std::string text = "\"";
  for (const char letter : name) text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return text + "\"";
}

}  // namespace sim::sweep
