// Columns are found by their keys, numbers in cells of numbers.
#include "command_line/table.hpp"

#include <gtest/gtest.h>

namespace command_line {
namespace {

TEST(TableColumn, IsFoundByItsKey) {
  const Table table{{{"arm", "the arm", Measure::none}, {"time_s", "time", Measure::time}}, {}};
  EXPECT_EQ(column_of(table, "arm"), 0U);
  EXPECT_EQ(column_of(table, "time_s"), 1U);
  EXPECT_FALSE(column_of(table, "time"));
}

TEST(TableColumn, NumbersAreCountsAndValues) {
  EXPECT_EQ(number_of(Cell(2.5)), 2.5);
  EXPECT_EQ(number_of(Cell(std::int64_t{3})), 3.0);
  EXPECT_FALSE(number_of(Cell("3")));
  EXPECT_FALSE(number_of(Cell()));
}

}  // namespace
}  // namespace command_line
