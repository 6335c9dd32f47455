// CSV: quoting, numbers that read back to the same value, and lines taken apart.
#include "command_line/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace command_line {
namespace {

TEST(Csv, OneHeaderLineOfKeysThenARowEach) {
  const Table table{{{"arm", "arm", Measure::none}, {"time_s", "time", Measure::time}},
                    {{std::string("a"), 0.1}, {std::string("b"), Cell()}}};
  EXPECT_EQ(csv_header(table) + csv_rows(table), "arm,time_s\na,0.1\nb,\n");
}

TEST(Csv, FieldsWithCommasQuotesAndBreaksAreQuoted) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("1 Gbit/s, 1 ms"), "\"1 Gbit/s, 1 ms\"");
  EXPECT_EQ(csv_field("say \"a\""), "\"say \"\"a\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(Csv, NumbersReadBackToTheSameValue) {
  const double value = 0.1 + 0.2;
  const Table table{{{"x", "x", Measure::none}}, {{value}}};
  EXPECT_EQ(std::stod(csv_rows(table)), value);
}

using testing::ElementsAre;

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> fields{"left", "over", "from", "before"};
  split_csv_line(line, fields);
  return fields;
}

TEST(CsvLine, EmptyFieldsAreFields) {
  EXPECT_THAT(split(""), ElementsAre(""));
  EXPECT_THAT(split("a,,b,"), ElementsAre("a", "", "b", ""));
}

TEST(CsvLine, QuotedFieldsAreReadBack) {
  for (const char* text : {"a,b", "say \"so\"", "\"", "two\nlines", ",", "\"\",\"\""})
    EXPECT_THAT(split(csv_field(text) + "," + csv_field("x")), ElementsAre(text, "x"));
}

TEST(CsvLine, AFieldWithALineBreakGoesOn) {
  EXPECT_TRUE(has_open_quote("1,\"two"));
  EXPECT_FALSE(has_open_quote("1,\"two\nlines\",3"));
  EXPECT_FALSE(has_open_quote("1,\"a \"\"b\"\"\""));
}

}  // namespace
}  // namespace command_line
