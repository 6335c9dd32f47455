// Rows of several sweep files, collected in one file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/sweep_store.hpp"

namespace sim::sweep {

/// Collects points from attached files in temporary tables of SQLite, and writes them in order at the end.
class PartJoiner {
 public:
  /// @param database  file of a sweep without points
  explicit PartJoiner(Database database);

  /// Takes the points that are not collected yet, or only as failed.
  /// @param completed  numbers of the completed points of that file
  /// @returns what is wrong with the file: other columns, or other results for a point
  /// @throws std::runtime_error where SQLite cannot read it
  std::optional<std::string> add(const std::filesystem::path& file,
                                 const std::vector<std::size_t>& completed);
  /// Writes what was collected, by point.
  void finish();

  /// Numbers of the points, rising.
  [[nodiscard]] std::vector<std::size_t> points() const;
  [[nodiscard]] std::size_t failed() const;

 private:
  void offer(const std::vector<std::size_t>& completed) const;
  [[nodiscard]] bool has_part_table(const std::string& table) const;
  [[nodiscard]] std::optional<std::string> difference() const;
  [[nodiscard]] std::optional<std::int64_t> differing_point() const;
  void collect() const;
  void collect_rows(const std::string& table) const;
  void write_rows(const std::string& table) const;

  Database database_;
};

}  // namespace sim::sweep
