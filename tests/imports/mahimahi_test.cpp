// Traces of Mahimahi: as many bytes leave as in the trace, and what is not a trace is refused by its line.
#include "calibrate/imports/mahimahi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::imports {
namespace {

using netmodels::Seconds;

std::string link_error(const std::string& text, double interval = 1) {
  const auto link = import_mahimahi(text, "a", Seconds{interval});
  return link ? "read" : link.error().text();
}

// 2 packets in the first second, none in the second, 1 in the third, 3 in the last half: 12 kbit a packet.
TEST(Mahimahi, BandwidthIsThatOfThePacketsOfAnInterval) {
  const auto link = import_mahimahi("0\n10\n2500\n3100\n3200\n3500\n", "folder/a.trace", Seconds{1});
  ASSERT_TRUE(link) << link.error().text();
  EXPECT_EQ(print_link_steps(*link, "folder/a.trace"),
            "# Bandwidth of a.trace, a trace of Mahimahi.\n"
            "# Use it as `cluster.traces: [{file: THIS_FILE, period: 3.5 s}]`.\n"
            "# 1 intervals without a packet are one step with the next.\n"
            "time_s,bandwidth_bit_per_s\n0,24000\n1,6000\n3,72000\n");
}

TEST(Mahimahi, AsManyBytesLeaveAsInTheTrace) {
  std::string text;
  int packets = 0;
  for (int ms = 3; ms < 20'000; ms += ms < 9000 ? 7 : 101) {
    text += std::to_string(ms) + "\n";
    ++packets;
  }
  for (const double interval : {0.1, 0.25, 1.0, 3.0}) {
    const auto link = import_mahimahi(text, "a", Seconds{interval});
    ASSERT_TRUE(link) << link.error().text();
    double bytes = 0;
    for (std::size_t i = 0; i < link->steps.size(); ++i) {
      const double end = i + 1 < link->steps.size() ? link->steps[i + 1].at.count : link->period.count;
      bytes += link->steps[i].bandwidth.count * (end - link->steps[i].at.count);
    }
    EXPECT_NEAR(bytes, packets * 1500.0, 1e-6 * bytes) << interval;
  }
}

TEST(Mahimahi, RefusesWhatIsNoTrace) {
  EXPECT_EQ(link_error(""), "a: no packets found; use a trace of Mahimahi");
  EXPECT_EQ(link_error("0\n0\n"), "a: the trace is 0 ms long; use a trace of Mahimahi");
  EXPECT_EQ(link_error("1\n2.5\n"),
            "a:2:1: `2.5` is not a millisecond; accepted: one whole number a line, 0 to "
            "1000000000");
  EXPECT_EQ(link_error("7\n5\n"), "a:2:1: 5 ms comes after 7 ms; use an unmodified trace");
  EXPECT_EQ(link_error("7\n500\n"),
            "--interval-ms: it is longer than the trace of 0.5 s; state a shorter one");
  EXPECT_EQ(link_error("999999999\n", 0.001), "--interval-ms: 999999999 intervals; accepted: up to 100000");
}

}  // namespace
}  // namespace calibrate::imports
