// Tables: units in the titles, numbers right, texts left.
#include "command_line/text_table.hpp"

#include <gtest/gtest.h>

namespace command_line {
namespace {

TEST(TextTable, UnitsStandInTheTitlesAndNumbersOnTheRight) {
  const Table table{{{"arm", "arm", Measure::none},
                     {"step_time_s", "step", Measure::time},
                     {"sent_bytes", "sent", Measure::size}},
                    {{std::string("dense"), 0.1234, 178.9e6}, {std::string("topk-1%"), 0.0123, 2.04e6}}};
  EXPECT_EQ(text_table(table),
            "arm      step (ms)  sent (MB)\n"
            "dense        123.4     178.90\n"
            "topk-1%       12.3       2.04\n");
}

TEST(TextTable, UnitIsTheLargestInWhichTheSmallestValueIsAtLeastOne) {
  const Table table{{{"t_s", "t", Measure::time}}, {{5.0}, {0.25}}};
  EXPECT_EQ(text_table(table), "t (ms)\n  5000\n   250\n");
}

TEST(TextTable, ValueThatWouldGetTooLongTakesTheLargerUnit) {
  const Table table{{{"t_s", "t", Measure::time}}, {{500.0}, {1e-6}}};
  EXPECT_EQ(text_table(table), "  t (s)\n500.000\n  0.000\n");
}

TEST(TextTable, ZeroAndNothingNeedNoUnitOfTheirOwn) {
  const Table table{{{"t_s", "t", Measure::time}}, {{0.0}, {Cell()}, {0.002}}};
  EXPECT_EQ(text_table(table), "t (ms)\n  0.00\n     -\n  2.00\n");
}

TEST(TextTable, SmallPricesKeepTheirDigits) {
  EXPECT_EQ(text_table({{{"a", "a", Measure::none}}, {{0.00509}, {0.074}}}), "      a\n0.00509\n0.07400\n");
  EXPECT_EQ(text_table({{{"a", "a", Measure::none}}, {{0.0000061}, {0.074}}}), "    a\n0.000\n0.074\n");
}

TEST(TextTable, SharesArePercent) {
  const Table table{{{"e", "efficiency", Measure::share}}, {{0.9312}}};
  EXPECT_EQ(text_table(table), "efficiency (%)\n          93.1\n");
}

TEST(TextTable, WidthIsCountedInCharacters) {
  const Table table{{{"a", "a", Measure::none}, {"b", "b", Measure::none}},
                    {{std::string("é"), std::int64_t{1}}, {std::string("ab"), std::int64_t{22}}}};
  EXPECT_EQ(text_table(table), "a    b\né    1\nab  22\n");
}

// "name  one" and "name  two" are 9 characters wide, "name  one  two" 14.
TEST(TextTable, ColumnsThatDoNotFitFollowBelowTheFirstColumn) {
  const Table table{{{"n", "name", Measure::none}, {"a", "one", Measure::none}, {"b", "two", Measure::none}},
                    {{std::string("x"), std::int64_t{1}, std::int64_t{2}}}};
  EXPECT_EQ(text_table(table, 14), "name  one  two\nx       1    2\n");
  EXPECT_EQ(text_table(table, 13), "name  one\nx       1\n\nname  two\nx       2\n");
  EXPECT_EQ(text_table(table, 1), text_table(table, 13));
}

TEST(TextTable, NoRowsLeaveTheTitles) { EXPECT_EQ(text_table({{{"a", "a", Measure::none}}, {}}), "a\n"); }

TEST(MarkdownTable, UnitsStandInTheTitlesAndBarsAreEscaped) {
  const Table table{{{"rule", "rule", Measure::none}, {"t_s", "time", Measure::time}},
                    {{std::string("|a| < b"), 0.002}, {std::string("c"), 0.5}}};
  EXPECT_EQ(markdown_table(table),
            "| rule | time (ms) |\n"
            "|---|--:|\n"
            "| \\|a\\| < b | 2.00 |\n"
            "| c | 500.00 |\n");
}

TEST(List, EachValueHasItsUnitAndAllItsDigits) {
  const Table table{{{"time_s", "time", Measure::time}, {"messages", "messages", Measure::none}},
                    {{0.003507, std::int64_t{112}}}};
  EXPECT_EQ(text_list(table), "time      3.507 ms\nmessages  112\n");
}

}  // namespace
}  // namespace command_line
