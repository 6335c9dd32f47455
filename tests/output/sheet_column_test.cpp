// Columns are found by their keys, numbers in cells of numbers.
#include "sim/output/sheet_column.hpp"

#include <gtest/gtest.h>

namespace sim::output {
namespace {

TEST(SheetColumn, IsFoundByItsKey) {
  const Sheet sheet{{{"arm", "the arm", Measure::none}, {"time_s", "time", Measure::time}}, {}};
  EXPECT_EQ(column_of(sheet, "arm"), 0U);
  EXPECT_EQ(column_of(sheet, "time_s"), 1U);
  EXPECT_FALSE(column_of(sheet, "time"));
}

TEST(SheetColumn, NumbersAreCountsAndValues) {
  EXPECT_EQ(number_of(Cell(2.5)), 2.5);
  EXPECT_EQ(number_of(Cell(std::int64_t{3})), 3.0);
  EXPECT_FALSE(number_of(Cell("3")));
  EXPECT_FALSE(number_of(Cell()));
}

}  // namespace
}  // namespace sim::output
