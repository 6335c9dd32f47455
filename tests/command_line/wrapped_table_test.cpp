// Tables that fit a terminal.
#include "command_line/wrapped_table.hpp"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "command_line/text_table.hpp"

namespace command_line {
namespace {

Table two_sentences() {
  return {{{"name", "name", Measure::none}, {"doc", "meaning", Measure::none}, {"n", "count", Measure::none}},
          {{std::string("ring"), std::string("each rank sends to the next one"), std::int64_t{4}},
           {std::string("tree"), std::string("short"), std::int64_t{12}}}};
}

TEST(WrappedTable, BreaksSentencesAtBlanks) {
  EXPECT_EQ(wrapped_table(two_sentences(), 30),
            "name  meaning            count\n"
            "ring  each rank sends        4\n"
            "      to the next one\n"
            "tree  short                 12\n");
}

TEST(WrappedTable, IsTheTableWhereItFits) {
  EXPECT_EQ(wrapped_table(two_sentences(), 80), text_table(two_sentences()));
  EXPECT_EQ(wrapped_table(two_sentences(), std::string::npos), text_table(two_sentences()));
}

TEST(WrappedTable, NoLineIsLongerWhateverTheCells) {
  Table table;
  for (int column = 0; column < 7; ++column)
    table.columns.push_back({"c", "a title of column " + std::to_string(column), Measure::none});
  for (std::size_t row = 0; row < 5; ++row) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (std::size_t column = 0; column < 7; ++column)
      cells.emplace_back(std::string(1 + (row * 13 + column * 29) % 90, column % 2 == 0 ? 'x' : ' ') +
                         "é word");
  }
  for (const std::size_t width : {8U, 20U, 40U, 80U}) {
    std::istringstream lines(wrapped_table(table, width));
    for (std::string line; std::getline(lines, line);) {
      const auto letters = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
      EXPECT_LE(static_cast<std::size_t>(letters), width) << line;
    }
  }
}

}  // namespace
}  // namespace command_line
