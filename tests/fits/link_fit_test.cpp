// Links found again in times that they made.
#include "calibrate/fits/link_fit.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::fits {

// Point-to-point fits: a known link comes back, and messages that do not show it are refused.

namespace {

std::vector<measurements::MeasuredPoint> times_of(const netmodels::LinkState& link) {
  std::vector<measurements::MeasuredPoint> points;
  for (const double size : {4.0, 4096.0, 262144.0, 4194304.0})
    points.push_back({{size}, link.latency + netmodels::Bytes{size} / link.bandwidth});
  return points;
}

TEST(PointToPoint, KnownLinkComesBack) {
  const auto link = fit_point_to_point(times_of({{1e-4}, {1e7}}));
  ASSERT_TRUE(link);
  EXPECT_NEAR(link->latency.count, 1e-4, 1e-6);
  EXPECT_NEAR(link->bandwidth.count / 1e7, 1, 1e-4);
}

TEST(PointToPoint, BurstsOfSmallMessagesDoNotMoveTheBandwidth) {
  auto points = times_of({{1e-4}, {1e7}});
  points[1].time = points[0].time;  // a shaper let 4 KiB pass at once
  EXPECT_NEAR(fit_point_to_point(points)->bandwidth.count / 1e7, 1, 1e-4);
}

TEST(PointToPoint, MessagesThatDoNotShowTheLinkAreRefused) {
  auto points = times_of({{1e-4}, {1e7}});
  points.resize(2);
  EXPECT_EQ(fit_point_to_point(points).error().text(),
            "these messages do not determine latency and bandwidth; measure one of at most 64 bytes and one "
            "of at least 256 KiB");
  points = times_of({{1e-4}, {1e7}});
  for (auto& point : points) point.time = {1e-4};
  EXPECT_EQ(fit_point_to_point(points).error().text(),
            "large messages do not take longer than small ones; measure larger messages");
}

TEST(PointToPoint, AcknowledgementsTakeTwoPercentOfALinkUsedBothWays) {
  EXPECT_NEAR(both_ways_share(), 0.9782, 1e-4);
}

}  // namespace

// Links from measurements: a known one is recovered without error, and too few points are refused.

namespace {

using testing::HasSubstr;

/// Messages of 100 us + M / 10 MB/s.
measurements::Measurements messages() {
  measurements::Measurements table;
  table.operation = *measurements::find_operation("point_to_point");
  table.ranks = 2;
  for (const double size : {8.0, 4096.0, 262144.0, 4194304.0})
    table.points.push_back({{size}, {1e-4 + size / 1e7}});
  return table;
}

/// 50 us, and 2(N-1) steps of 10 us at 1 GB/s.
measurements::Measurements ring(int ranks) {
  measurements::Measurements table;
  table.operation = *measurements::find_operation("all_reduce");
  table.ranks = ranks;
  for (double size = 1e3; size < 1e9; size *= 10)
    table.points.push_back({{size}, {5e-5 + 2 * (ranks - 1) * (1e-5 + size / ranks / 1e9)}});
  return table;
}

TEST(LinkFit, MessagesShowTheirLink) {
  const auto fit = fit_link(std::vector{messages()});
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_NEAR(fit->link.bandwidth.count, 1e7, 1e3);
  EXPECT_LT(fit->held_out.worst, 0.01);
  EXPECT_EQ(fit->by, "one size at a time");
}

TEST(LinkFit, RingOnThreeNumbersOfRanksShowsItsLink) {
  const auto fit = fit_link(std::vector{ring(2), ring(4), ring(8)});
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_NEAR(fit->link.latency.count, 1e-5, 1e-7);
  EXPECT_NEAR(fit->link.bandwidth.count, 1e9, 1e6);
  EXPECT_NEAR(fit->start.count, 5e-5, 1e-6);
  EXPECT_LT(fit->held_out.worst, 0.01);
  EXPECT_EQ(fit->ranks, 8);
}

TEST(LinkFit, ClusterSaysWhereItComesFromAndHowFarItIsOff) {
  const std::string text = print_cluster({{{1e-5}, {1e9}}, {5e-5}, {0.1, 0.05, 0.2, 0.3, -0.01}, "x", 8},
                                         std::vector{ring(8), ring(4)}, "1");
  EXPECT_THAT(text,
              HasSubstr("# Held-out error, x: mean 10.00 %, median 5.00 %, p90 20.00 %, worst 30.00 %.\n"));
  EXPECT_THAT(text, HasSubstr("fitted to a table without a source and 1 more.\n"));
  EXPECT_THAT(text, HasSubstr("workers: 8\nlink: {latency: 10 us, bandwidth: 8 Gbit/s}\n"));
}

TEST(LinkFit, WhatLeavesNothingToHoldOutIsRefused) {
  EXPECT_EQ(fit_link(std::vector{ring(2), ring(4)}).error().text(),
            "tables on 2 numbers of ranks leave none to hold out; give tables on at least 3");
  EXPECT_EQ(fit_link(std::vector{messages(), ring(4)}).error().text(),
            "a table of single messages is given beside others; give it separately");
}

}  // namespace
}  // namespace calibrate::fits
