// Traces: columns, order, and refusals with the place in the CSV file.
#include "sim/scenario/trace_file.hpp"

#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
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
            "t.csv:3:1: time `0` does not come after the one before it; times that rise from row to row");
  EXPECT_EQ(trace_error("time_s,bandwidth_bit_per_s\n0,0\n"),
            "t.csv:2:3: column `bandwidth_bit_per_s` is 0, and nothing would ever arrive; a number above 0; "
            "let a link fail by `failures`");
  EXPECT_EQ(trace_error("time_s,latency_s\n0,nan\n").substr(0, 10), "t.csv:2:3:");
  EXPECT_EQ(trace_error("time_s,latncy_s\n0,1\n").substr(0, 12), "t.csv:1:8: `");
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
  EXPECT_NE(
      missing.error().text().find("s.yaml:3:84: `cluster.traces[0].file`: `none.csv`: there is no such file"),
      std::string::npos);
}

}  // namespace
}  // namespace sim::scenario
