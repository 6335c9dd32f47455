// Cells and tables that lists of names share.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/table.hpp"

namespace sim {

inline command_line::Cell text_cell(std::string_view value) { return std::string(value); }
inline command_line::Cell yes_or_no(bool value) { return std::string(value ? "yes" : "no"); }

template <class Row, std::size_t n>
command_line::Table table_of(const std::array<command_line::ColumnOf<Row>, n>& columns,
                             std::span<const Row> rows) {
  return command_line::fill(std::span<const command_line::ColumnOf<Row>>(columns), rows);
}

/// A name with one sentence.
struct NamedLine {
  std::string name;
  std::string summary;
};

inline command_line::Table line_table(const std::vector<NamedLine>& rows) {
  static constexpr std::array columns{
      command_line::ColumnOf<NamedLine>{"name", "name", command_line::Measure::none,
                                        [](const NamedLine& r) { return text_cell(r.name); }},
      command_line::ColumnOf<NamedLine>{"summary", "summary", command_line::Measure::none,
                                        [](const NamedLine& r) { return text_cell(r.summary); }},
  };
  return table_of(columns, std::span<const NamedLine>(rows));
}

}  // namespace sim
