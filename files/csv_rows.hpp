// Rows of other people's CSV files, by the names of their columns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"

namespace files {

/// One row.
struct CsvRow {
  int line = 1;
  std::string_view text;                      ///< text of the whole line; the cells are views into it
  std::span<const std::string_view> columns;  ///< the names that were asked for
  std::vector<std::string_view> cells;        ///< cells in their order
};

/// `source:line:column` of a cell.
std::string place_of(const CsvRow& row, std::size_t column, std::string_view source);

/// The rows below a header line. Lines that begin with `#` are passed over, and other columns ignored.
/// @param columns  wanted ones, as the header names them; they and `text` outlive the rows
/// @param source   named in errors, as `source:line:column`
/// @returns at least one row, or an Error for a column that the header lacks, a row of another width, no
///          rows, or a last line without its end, which may be cut
netmodels::Result<std::vector<CsvRow>> read_csv_rows(std::string_view text,
                                                     std::span<const std::string_view> columns,
                                                     std::string_view source);

/// A cell as a finite number of `least` or more.
/// @returns an Error with the cell's place and column
netmodels::Result<double> number_in(const CsvRow& row, std::size_t column, double least,
                                    std::string_view source);

/// A cell as a whole number from 1 to 1000000.
/// @returns an Error with the cell's place and column
netmodels::Result<int> count_in(const CsvRow& row, std::size_t column, std::string_view source);

}  // namespace files
