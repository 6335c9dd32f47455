// Point-to-point fits: a known link comes back, and messages that do not show it are refused.
#include <vector>

#include <gtest/gtest.h>

#include "calibrate/fits/link_fit.hpp"

namespace calibrate::fits {
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
            "these messages do not show latency and bandwidth; measure one of at most 64 bytes and one of at "
            "least 256 KiB");
  points = times_of({{1e-4}, {1e7}});
  for (auto& point : points) point.time = {1e-4};
  EXPECT_EQ(fit_point_to_point(points).error().text(),
            "large messages take no longer than small ones; measure larger messages");
}

TEST(PointToPoint, AcknowledgementsTakeTwoPercentOfALinkUsedBothWays) {
  EXPECT_NEAR(both_ways_share(), 0.9782, 1e-4);
}

}  // namespace
}  // namespace calibrate::fits
