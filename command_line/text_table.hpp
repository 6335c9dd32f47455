// A table as aligned text for people.
#pragma once

#include <string>
#include <vector>

#include "command_line/table.hpp"

namespace command_line {

/// One column, written out.
struct TextColumn {
  std::string title;  ///< title with its unit: "step (ms)"
  std::vector<std::string> cells;
  bool right = false;  ///< numbers are right-aligned, texts left-aligned
};

/// Every column of a table. Each column of times, sizes or rates gets one unit, as in `text_table`.
std::vector<TextColumn> text_columns(const Table& table);

/// Lines of aligned columns under one line of titles. Texts align left, numbers right. Each column of times,
/// sizes or rates gets one unit, named in its title: the largest in which its smallest value is at least 1.
/// @param width  of lines, in characters: columns that do not fit follow in blocks below, each of which
/// begins
///               with the first column; a line is longer only where that and one other column are
/// @returns lines that each end in a newline, without trailing blanks
std::string text_table(const Table& table, std::size_t width = std::string::npos);

/// A Markdown table with the same titles and units; `|` in a cell is escaped.
std::string markdown_table(const Table& table);

/// For a table of one row that holds much: a line "title  value unit" for each column, values aligned.
std::string text_list(const Table& table);

}  // namespace command_line
