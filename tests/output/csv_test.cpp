// CSV: quoting, and numbers that read back to the same value.
#include "sim/output/csv.hpp"

#include <gtest/gtest.h>

namespace sim::output {
namespace {

TEST(Csv, OneHeaderLineOfKeysThenARowEach) {
  const Sheet sheet{{{"arm", "arm", Measure::none}, {"time_s", "time", Measure::time}},
                    {{std::string("a"), 0.1}, {std::string("b"), Cell()}}};
  EXPECT_EQ(csv_header(sheet) + csv_rows(sheet), "arm,time_s\na,0.1\nb,\n");
}

TEST(Csv, FieldsWithCommasQuotesAndBreaksAreQuoted) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("1 Gbit/s, 1 ms"), "\"1 Gbit/s, 1 ms\"");
  EXPECT_EQ(csv_field("say \"a\""), "\"say \"\"a\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(Csv, NumbersReadBackToTheSameValue) {
  const double value = 0.1 + 0.2;
  const Sheet sheet{{{"x", "x", Measure::none}}, {{value}}};
  EXPECT_EQ(std::stod(csv_rows(sheet)), value);
}

}  // namespace
}  // namespace sim::output
