// Links from measurements: a known one comes back with no error, and what cannot be held out is refused.
#include "calibrate/fits/link_fit.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::fits {
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
            "a table of single messages stands beside others; give it alone");
}

}  // namespace
}  // namespace calibrate::fits
