// Traces of links and of streams, as written and as refused.
#include "sim/scenario/trace_files.hpp"

#include <gtest/gtest.h>

#include "sim/inputs/input_files.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {

// Traces: columns, order, and errors with the place in the CSV file.

namespace {

std::string trace_error(const std::string& text) {
  const tests::ScratchFolder scratch;
  const auto points = read_trace(scratch.write("t.csv", text));
  if (points) return "accepted";
  const std::string error = points.error().text();
  return error.substr(error.find("t.csv"));
}

TEST(Trace, ReadsBothColumnsOrOne) {
  const tests::ScratchFolder scratch;
  const auto both = read_trace(scratch.write(
      "t.csv", "# measured by iperf\ntime_s,bandwidth_bit_per_s,latency_s\n0,1e9,0.001\n2.5,8e6,0.002\n"));
  ASSERT_TRUE(both) << both.error().text();
  EXPECT_EQ(both->at(1).at.count, 2.5);
  EXPECT_EQ(both->at(1).bandwidth->count, 1e6);
  EXPECT_EQ(both->at(1).latency->count, 0.002);
  const auto one = read_trace(scratch.write("u.csv", "time_s,latency_s\n0,0.001\n"));
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_EQ(one->at(0).bandwidth, std::nullopt);
}

TEST(Trace, RefusesWithPlace) {
  EXPECT_EQ(trace_error("time_s,latency_s\n0,0.001\n0,0.002\n"),
            "t.csv:3:1: time `0` does not increase; write increasing times");
  EXPECT_EQ(trace_error("time_s,bandwidth_bit_per_s\n0,0\n"),
            "t.csv:2:3: column `bandwidth_bit_per_s` is 0, so no data would ever arrive; a number above 0; "
            "let a link fail by `failures`");
  EXPECT_EQ(trace_error("time_s,latency_s\n0,nan\n").substr(0, 10), "t.csv:2:3:");
  EXPECT_EQ(trace_error("time_s,latncy_s\n0,1\n").substr(0, 12), "t.csv:1:8: u");
}

TEST(Trace, IsFoundBesideTheScenario) {
  const tests::ScratchFolder scratch;
  scratch.write("t.csv", "time_s,latency_s\n0,0.001\n5,0.003\n");
  const auto reading = read(scratch, with_cluster("workers: 4, " + good_link +
                                                  ", traces: [{file: t.csv, period: 10 s, workers: [1]}]"));
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_EQ(reading->study.arms[0].cluster.traces.at(0).points.size(), 2u);
  const auto shorter =
      read(scratch, with_cluster("workers: 4, " + good_link + ", traces: [{file: t.csv, period: 5 s}]"));
  EXPECT_NE(shorter.error().text().find(
                "`cluster.traces[0].period`: the trace is longer than its period; write a period above 5 s"),
            std::string::npos);
  const auto missing =
      read(scratch, with_cluster("workers: 4, " + good_link + ", traces: [{file: none.csv}]"));
  EXPECT_NE(missing.error().text().find("s.yaml:3:84: `cluster.traces[0].file`: `none.csv`: file not found"),
            std::string::npos);
}

}  // namespace

// Rates of streams from a file: columns, order, errors with their place, and where the file is sought.

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
  EXPECT_EQ(stream_trace_error(kHeader + "0,2,40\n"), "t.csv:2:3: unknown worker 2; accepted: 0 to 1");
  EXPECT_EQ(stream_trace_error(kHeader + "0,1,0\n"),
            "t.csv:2:5: column `rate_samples_per_s` is 0, so a batch might never arrive; a number above 0");
  EXPECT_EQ(stream_trace_error(kHeader + "5,1,9\n4,1,9\n"),
            "t.csv:3:1: time `4` is earlier than that of the row above it; write rows in order of time");
  EXPECT_EQ(stream_trace_error("time_s,worker\n0,1\n").substr(0, 10), "t.csv:1:1:");
}

TEST(StreamTrace, IsFoundBesideTheScenarioAndMergedWithItsChanges) {
  const tests::ScratchFolder scratch;
  scratch.write("t.csv", kHeader + "0,1,40\n9,0,7\n");
  const auto reading = read(
      scratch, least + "streams: {rates: [1, 2, 3, 4], trace: t.csv, changes: [{at: 5 s, factor: 2}]}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  const auto& changes = reading->study.arms[0].work.streams->changes;
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[1].factor, 2);
  EXPECT_EQ(changes[2].rate, 7);
}

TEST(StreamTrace, AFileThatIsNotThereIsRefusedWhereItIsNamed) {
  EXPECT_EQ(refusal(least + "streams: {rates: [1, 2, 3, 4], trace: gone.csv}\n").substr(0, 10), "s.yaml:5:3");
}

}  // namespace
}  // namespace sim::scenario
