// Tables in CSV files: named columns, comments, and the place of every cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"

namespace sim::language {

/// One CSV file. Lines that begin with `#` are comments; the first other line names the columns, in any
/// order. Cells are separated by commas; blanks around them are dropped; there are no quotes.
class TableFile {
 public:
  /// @param columns   the names that the header must hold
  /// @param optional  those that it may hold; of an absent one, all cells are empty. No others are accepted
  /// @returns the table, or an Error with its position: as `files::read_text`; a column that is missing,
  /// unknown or
  ///          given twice; a row that is shorter or longer than the header; no rows
  static netmodels::Result<TableFile> read(const std::filesystem::path& path,
                                           std::span<const std::string_view> columns,
                                           std::span<const std::string_view> optional = {});

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] bool has(std::string_view column) const { return columns_.contains(column); }
  [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const;
  [[nodiscard]] std::string where(std::size_t row, std::string_view column) const;  ///< `file:line:column`
  /// @returns a finite number of at least 0, or an Error with place, column and value
  [[nodiscard]] netmodels::Result<double> number(std::size_t row, std::string_view column) const;
  /// @returns a whole number of at least 0, or an Error with place, column and value
  [[nodiscard]] netmodels::Result<std::int64_t> count(std::size_t row, std::string_view column) const;

  struct Cell {
    std::string text;
    Position position;
  };

 private:
  [[nodiscard]] const Cell* cell(std::size_t row, std::string_view column) const;  ///< null: no such column

  std::string source_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace sim::language
