// The CSV form of measurements: it reads back its own text, and errors name their place.
#include "calibrate/measurements/measurement_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/calibrate/printed_log.hpp"

namespace calibrate::measurements {
namespace {

using testing::HasSubstr;

const std::string measurement_header = "# collective=all_reduce; nranks=8; nodes=1\n";

std::string refusal(const std::string& text) {
  const auto read = parse_csv(text, "m.csv");
  return read ? "read" : read.error().text();
}

TEST(MeasurementCsv, GivesBackWhatItPrinted) {
  unsigned seed = 0;
  for (const Operation& operation : operations()) {
    Measurements printed = random_measurements(operation, 16, 4, ++seed);
    printed.facts = {"8x A; B", "TCP; tuned", "tool 1", "Ring",
                     "LL",      "here",       "facts",  {"one", "two; three=3"}};
    const auto read = parse_csv(print_csv(printed), "m.csv");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(*read, printed);
    EXPECT_EQ(print_csv(*read), print_csv(printed));
  }
}

TEST(MeasurementCsv, FirstLineMayHoldFurtherKeys) {
  const auto read = parse_csv(
      "# collective=all_gather; nranks=2; gpus=1 GPU; network=TCP \"Socket\"; plateau 2 GB/s\n# any = thing\n"
      "time_us,size_bytes\n10,4\n",
      "m.csv");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->facts.machine, "1 GPU");
  EXPECT_EQ(read->facts.network, "TCP \"Socket\"; plateau 2 GB/s");
  EXPECT_EQ(read->nodes, std::nullopt);
}

TEST(MeasurementCsv, RefusalsNameTheirPlace) {
  EXPECT_EQ(refusal("# collective=all_reduse; nranks=8\n").substr(0, 71),
            "m.csv:1:14: unknown collective `all_reduse`; did you mean `all_reduce`?");
  EXPECT_EQ(refusal("# collective=all_reduce; nranks=many\n"),
            "m.csv:1:33: `many` is not a value of `nranks`; accepted: 1 to 1000000");
  EXPECT_THAT(refusal("size_bytes,time_us\n4,1\n"), HasSubstr("m.csv: the key `collective` is missing"));
  EXPECT_THAT(refusal(measurement_header + "size_bytes,time\n4,1\n"),
              HasSubstr("m.csv:2:12: unknown column `time`; did you mean `time_us`?"));
  EXPECT_EQ(refusal(measurement_header + "size_bytes\n4\n"), "m.csv:2:1: column `time_us` is missing");
  EXPECT_THAT(refusal(measurement_header + "size_bytes,time_us\n4,nan\n"),
              HasSubstr("m.csv:3:3: `nan` is not a value of `time_us`"));
  EXPECT_THAT(refusal(measurement_header + "size_bytes,time_us\n4\n"),
              HasSubstr("m.csv:3:1: the row has 1 cells"));
  EXPECT_THAT(refusal(measurement_header + "size_bytes,time_us\n8,1\n4,1\n"),
              HasSubstr("m.csv:4:1: sizes do not increase: 4 bytes comes after 8"));
  EXPECT_THAT(refusal(measurement_header + "size_bytes,time_us\n4,0\n"),
              HasSubstr("m.csv:3:1: invalid time 0 us at 4 bytes"));
  EXPECT_THAT(refusal(measurement_header + "size_bytes,time_us\n"), HasSubstr("no rows found"));
  EXPECT_THAT(refusal(""), HasSubstr("the key `collective` is missing"));
}

TEST(MeasurementCsv, BandwidthsThatDoNotBelongAreRefused) {
  EXPECT_EQ(refusal(measurement_header + "size_bytes,time_us,algbw_GBs,busbw_GBs\n1000000,100,10,12\n"),
            "m.csv:3:1: `busbw_GBs` is 12, but size and time make it 17.5; check the row, the collective and "
            "the ranks");
}

}  // namespace
}  // namespace calibrate::measurements
