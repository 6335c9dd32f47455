// A text of numbers in columns, one of them the label.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "settings/key.hpp"

namespace learning::datasets {

/// Which column bears the label.
enum class LabelColumn { last, first };

constexpr auto names_of(LabelColumn) {
  return std::to_array<settings::Named<LabelColumn>>(
      {{"last", LabelColumn::last}, {"first", LabelColumn::first}});
}

/// What the text holds, row after row.
struct CsvTable {
  std::size_t features = 0;         ///< values per row, at least 1
  std::vector<double> values;       ///< row after row; finite, and within the range of a float
  std::vector<std::string> labels;  ///< one per row, as written

  [[nodiscard]] std::size_t rows() const { return labels.size(); }
};

/// Reads rows parted by line ends, and columns parted by commas, or else by semicolons, or else by blanks:
/// what the first line with anything on it has. Blanks around a field and empty lines are skipped. That first
/// line is a header, and skipped, when it has two fields or more and none but the label's is a number; it may
/// have another number of columns.
/// @param source  for messages: the file's name
/// @returns at least one row, or an Error with line and column: a field that is no finite number, rows of
///          unequal length, fewer than two columns, no rows at all, an empty label
netmodels::Result<CsvTable> read_csv(std::string_view text, std::string_view source, LabelColumn label);

}  // namespace learning::datasets
