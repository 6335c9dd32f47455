// Rates of streams from a file: columns, order, refusals with their place, and where the file is sought.
#include "sim/scenario/stream_trace_file.hpp"

#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

const std::string kHeader = "time_s,worker,rate_samples_per_s\n";

std::string stream_trace_error(const std::string& text) {
  const tests::ScratchFolder scratch;
  const auto changes = read_stream_trace(scratch.write("t.csv", text), 2);
  if (changes) return "accepted";
  const std::string error = changes.error().text();
  return error.substr(error.find("t.csv"));
}

TEST(StreamTrace, EachRowChangesTheRateOfOneWorker) {
  const tests::ScratchFolder scratch;
  const auto changes = read_stream_trace(scratch.write("t.csv", kHeader + "0,1,40\n2.5,0,7\n2.5,1,8\n"), 2);
  ASSERT_TRUE(changes) << changes.error().text();
  ASSERT_EQ(changes->size(), 3U);
  EXPECT_EQ(changes->at(1), (StreamRateChange{{2.5}, {0}, {}, 7}));
}

TEST(StreamTrace, RefusesWithPlace) {
  EXPECT_EQ(stream_trace_error(kHeader + "0,2,40\n"), "t.csv:2:3: there is no worker 2; accepted: 0 to 1");
  EXPECT_EQ(stream_trace_error(kHeader + "0,1,0\n"),
            "t.csv:2:5: column `rate_samples_per_s` is 0, and a batch might be waited for without end; a "
            "number above 0");
  EXPECT_EQ(stream_trace_error(kHeader + "5,1,9\n4,1,9\n"),
            "t.csv:3:1: time `4` comes before that of the row above it; rows in order of time");
  EXPECT_EQ(stream_trace_error("time_s,worker\n0,1\n").substr(0, 10), "t.csv:1:1:");
}

TEST(StreamTrace, IsFoundBesideTheScenarioAndMergedWithItsChanges) {
  const tests::ScratchFolder scratch;
  scratch.write("t.csv", kHeader + "0,1,40\n9,0,7\n");
  const auto reading = read(
      scratch, least + "streams: {rates: [1, 2, 3, 4], trace: t.csv, changes: [{at: 5 s, factor: 2}]}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  const auto& changes = reading->study.arms[0].streams->changes;
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[1].factor, 2);
  EXPECT_EQ(changes[2].rate, 7);
}

TEST(StreamTrace, AFileThatIsNotThereIsRefusedWhereItIsNamed) {
  EXPECT_EQ(refusal(least + "streams: {rates: [1, 2, 3, 4], trace: gone.csv}\n").substr(0, 10), "s.yaml:5:3");
}

}  // namespace
}  // namespace sim::scenario
