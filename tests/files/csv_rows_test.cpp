// Rows of CSV files: columns in any order, and errors with their places.
#include "files/csv_rows.hpp"

#include <array>

#include <gtest/gtest.h>

namespace files {
namespace {

constexpr std::array<std::string_view, 2> wanted = {"size", "time"};

std::string csv_error(std::string_view text) {
  const auto rows = read_csv_rows(text, wanted, "t.csv");
  return rows ? "read" : rows.error().text();
}

TEST(CsvRows, ColumnsAreFoundByName) {
  const auto rows = read_csv_rows("# why\ntime,note,size\n2,x,1\n\n4,y,3\n", wanted, "t.csv");
  ASSERT_TRUE(rows) << rows.error().text();
  ASSERT_EQ(rows->size(), 2);
  EXPECT_EQ((*rows)[1].cells, (std::vector<std::string_view>{"3", "4"}));
  EXPECT_EQ((*rows)[1].line, 5);
  EXPECT_EQ(*number_in((*rows)[1], 1, 0, "t.csv"), 4);
}

TEST(CsvRows, DamageIsRefusedWithItsPlace) {
  EXPECT_EQ(csv_error("size,tme\n"), "t.csv:1:1: column `time` is missing; the header names size, tme");
  EXPECT_EQ(csv_error("size,time\n1\n"), "t.csv:2:1: the row has 1 cells; the header names 2");
  EXPECT_EQ(csv_error("size,time\n"), "t.csv: no rows found; expected a header and rows");
  EXPECT_EQ(
      csv_error("size,time\n1,25"),
      "t.csv:2:1: the last line has no line end: a number in it may be cut; use the complete file, or end it "
      "with a line break");
  const std::string text = "size,time\nnan,-1\n";
  const auto rows = read_csv_rows(text, wanted, "t.csv");
  EXPECT_EQ(number_in(rows->front(), 0, 0, "t.csv").error().text(),
            "t.csv:2:1: `nan` in column `size` is out of range; accepted: a finite number, 0 or above");
  EXPECT_EQ(number_in(rows->front(), 1, 0, "t.csv").error().text(),
            "t.csv:2:5: `-1` in column `time` is out of range; accepted: a finite number, 0 or above");
  EXPECT_EQ(count_in(rows->front(), 1, "t.csv").error().text(),
            "t.csv:2:5: `-1` in column `time` is not a count; accepted: 1 to 1000000");
}

}  // namespace
}  // namespace files
