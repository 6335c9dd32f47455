// Tests of reading numbers in columns, and of what is said of those that are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/datasets/readers.hpp"

namespace learning::datasets {
namespace {

using testing::ElementsAre;

CsvTable read_table(std::string_view text, LabelColumn label = LabelColumn::last) {
  const auto table = read_csv(text, "f", label);
  EXPECT_TRUE(table) << table.error().text();
  return table ? *table : CsvTable{};
}

std::string csv_table_error(std::string_view text, LabelColumn label = LabelColumn::last) {
  const auto table = read_csv(text, "f", label);
  return table ? "accepted" : table.error().text();
}

TEST(CsvTable, LabelIsTheLastColumnOrTheFirst) {
  const CsvTable last = read_table("1,2,a\n3,4,b\n");
  EXPECT_EQ(last.features, 2);
  EXPECT_THAT(last.values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(last.labels, ElementsAre("a", "b"));
  const CsvTable first = read_table("a,1,2\nb,3,4\n", LabelColumn::first);
  EXPECT_THAT(first.values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(first.labels, ElementsAre("a", "b"));
}

TEST(CsvTable, SemicolonsAndBlanksPartColumnsToo) {
  EXPECT_THAT(read_table("1.5;-2e3;7\n").values, ElementsAre(1.5, -2000));
  EXPECT_THAT(read_table("  1.5   +2\t7 \n").values, ElementsAre(1.5, 2));
  EXPECT_THAT(read_table(" 47,100, 8\r\n\r\n  0, 89, 1").values, ElementsAre(47, 100, 0, 89));
}

TEST(CsvTable, HeaderIsSkippedWhateverItsLabelAndLength) {
  EXPECT_THAT(read_table("height,width,class\n1,2,0\n").values, ElementsAre(1, 2));
  EXPECT_THAT(read_table("\xEF\xBB\xBF\n\nA,B,C,D,E\n\n1,2,x\n").values, ElementsAre(1, 2));
  EXPECT_THAT(read_table("height,width,10\n1,2,0\n").labels, ElementsAre("0"));
}

TEST(CsvTable, FirstLineWithOneNumberIsNoHeader) {
  EXPECT_EQ(csv_table_error("1,x,0\n1,2,0\n"),
            "f:1:3: `x` is not a finite number; write a number; the label may be the first or the last "
            "column");
}

TEST(CsvTable, WrongFieldIsNamedWithLineAndColumn) {
  EXPECT_EQ(csv_table_error("1,2,a\n3, 4x,b\n"),
            "f:2:4: `4x` is not a finite number; write a number; the label may be the first or the last "
            "column");
  EXPECT_EQ(csv_table_error("1,2,a\n3,,b\n"),
            "f:2:3: `` is not a finite number; write a number; the label may be the first or the last "
            "column");
  for (const std::string word : {"nan", "inf", "-inf", "1e300", "0x10", "1e", "--1"}) {
    EXPECT_EQ(csv_table_error("1 2 a\n3 " + word + " b\n"),
              "f:2:3: `" + word +
                  "` is not a finite number; write a number; the label may be the first or the last column");
  }
}

TEST(CsvTable, RowsOfUnequalLengthAreRefused) {
  EXPECT_EQ(csv_table_error("1,2,a\n\n3,b\n"),
            "f:3:1: the line has 2 columns, but those before it have 3; give every line the same columns");
}

TEST(CsvTable, OneColumnIsRefused) {
  EXPECT_EQ(csv_table_error("1\n2\n"),
            "f:1:1: the line has one column; write at least one value and a label");
}

TEST(CsvTable, MissingLabelIsRefused) {
  EXPECT_EQ(csv_table_error("1,2,a\n3,4,\n"), "f:2:5: the label is missing; write one");
}

TEST(CsvTable, FileWithoutRowsIsRefused) {
  for (const std::string text : {"\n \n", "a,b,c\n"}) {
    EXPECT_EQ(csv_table_error(text), "f: the file has no rows of numbers; write one sample per line");
  }
}

}  // namespace
}  // namespace learning::datasets
