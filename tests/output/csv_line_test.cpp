// Lines of CSV: what csv_field writes is read back.
#include "sim/output/csv_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/output/csv.hpp"

namespace sim::output {
namespace {

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
  EXPECT_TRUE(is_open("1,\"two"));
  EXPECT_FALSE(is_open("1,\"two\nlines\",3"));
  EXPECT_FALSE(is_open("1,\"a \"\"b\"\"\""));
}

}  // namespace
}  // namespace sim::output
