// An SQLite file: opened, asked, written to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "command_line/table.hpp"
#include "netmodels/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace sim::sweep {

class Database;

/// A prepared statement; stepped through row by row.
class Statement {
 public:
  /// @throws std::runtime_error where SQLite does not understand it
  Statement(const Database& database, std::string_view text);

  /// The next `?`, from the left.
  Statement& bind(const command_line::Cell& cell);
  /// @returns whether there is a row
  /// @throws std::runtime_error with SQLite's words, as for a full disk
  bool step();
  /// Ready to be bound and stepped once more.
  void reset();

  [[nodiscard]] int columns() const;
  [[nodiscard]] command_line::Cell cell(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t count(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

/// A file that survives crashes: changes in transactions, a write-ahead log where asked for.
class Database {
 public:
  /// Opens a file; for reading only where its disk cannot be written.
  /// @param create  a file that is not there is made
  /// @returns an Error at the path where SQLite cannot open it or it is not a database
  static netmodels::Result<Database> open(const std::filesystem::path& path, bool create);

  /// Writes changes from now on to a log next to the file first, so that readers and a writer do not wait for
  /// each other. The file keeps that.
  void write_ahead() const;
  /// Moves the log into the file and removes it; nothing where another process reads the file.
  void end_write_ahead() const;
  /// Runs statements that give no rows.
  /// @throws std::runtime_error with SQLite's words
  void run(const std::string& text) const;
  [[nodiscard]] bool has_table(std::string_view name) const;
  [[nodiscard]] sqlite3* handle() const { return database_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}

  std::unique_ptr<sqlite3, Close> database_;
};

/// Everything that is written while it lives, or nothing where `commit` is not reached.
class Transaction {
 public:
  explicit Transaction(const Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction(Transaction&&) = delete;
  Transaction& operator=(Transaction&&) = delete;
  void commit();

 private:
  const Database& database_;
  bool open_ = true;
};

/// A name within double quotes, as SQL wants it for names with dots.
std::string sql_name(std::string_view name);

}  // namespace sim::sweep
