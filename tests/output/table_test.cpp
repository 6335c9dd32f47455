// Tables: units in the titles, numbers right, texts left.
#include "sim/output/table.hpp"

#include <gtest/gtest.h>

namespace sim::output {
namespace {

TEST(Table, UnitsStandInTheTitlesAndNumbersOnTheRight) {
  const Sheet sheet{{{"arm", "arm", Measure::none},
                     {"step_time_s", "step", Measure::time},
                     {"sent_bytes", "sent", Measure::size}},
                    {{std::string("dense"), 0.1234, 178.9e6}, {std::string("topk-1%"), 0.0123, 2.04e6}}};
  EXPECT_EQ(table(sheet),
            "arm      step (ms)  sent (MB)\n"
            "dense        123.4     178.90\n"
            "topk-1%       12.3       2.04\n");
}

TEST(Table, UnitIsTheLargestInWhichTheSmallestValueIsAtLeastOne) {
  const Sheet sheet{{{"t_s", "t", Measure::time}}, {{5.0}, {0.25}}};
  EXPECT_EQ(table(sheet), "t (ms)\n  5000\n   250\n");
}

TEST(Table, ValueThatWouldGetTooLongTakesTheLargerUnit) {
  const Sheet sheet{{{"t_s", "t", Measure::time}}, {{500.0}, {1e-6}}};
  EXPECT_EQ(table(sheet), "  t (s)\n500.000\n  0.000\n");
}

TEST(Table, ZeroAndNothingNeedNoUnitOfTheirOwn) {
  const Sheet sheet{{{"t_s", "t", Measure::time}}, {{0.0}, {Cell()}, {0.002}}};
  EXPECT_EQ(table(sheet), "t (ms)\n  0.00\n     -\n  2.00\n");
}

TEST(Table, SharesArePercent) {
  const Sheet sheet{{{"e", "efficiency", Measure::share}}, {{0.9312}}};
  EXPECT_EQ(table(sheet), "efficiency (%)\n          93.1\n");
}

TEST(Table, WidthIsCountedInCharacters) {
  const Sheet sheet{{{"a", "a", Measure::none}, {"b", "b", Measure::none}},
                    {{std::string("é"), std::int64_t{1}}, {std::string("ab"), std::int64_t{22}}}};
  EXPECT_EQ(table(sheet), "a    b\né    1\nab  22\n");
}

TEST(Table, NoRowsLeaveTheTitles) { EXPECT_EQ(table({{{"a", "a", Measure::none}}, {}}), "a\n"); }

TEST(List, EachValueHasItsUnitAndAllItsDigits) {
  const Sheet sheet{{{"time_s", "time", Measure::time}, {"messages", "messages", Measure::none}},
                    {{0.003507, std::int64_t{112}}}};
  EXPECT_EQ(list(sheet), "time      3.507 ms\nmessages  112\n");
}

}  // namespace
}  // namespace sim::output
