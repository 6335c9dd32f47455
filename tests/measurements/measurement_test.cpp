// Measurements: bandwidths by hand, and merging.
#include "calibrate/measurements/measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/calibrate/printed_log.hpp"

namespace calibrate::measurements {
namespace {

using testing::HasSubstr;

TEST(Measurement, BusBandwidthIsAsNcclTestsCountsIt) {  // 1 GB in 10 ms on 8 ranks: 100 GB/s, times 2 * 7/8
  Measurements measured;
  measured.operation = *find_operation("all_reduce");
  measured.ranks = 8;
  EXPECT_DOUBLE_EQ(bus_bandwidth(measured, {{1e9}, {0.01}}).count, 175e9);
  measured.operation = *find_operation("all_gather_perf");
  EXPECT_DOUBLE_EQ(bus_bandwidth(measured, {{1e9}, {0.01}}).count, 87.5e9);
  measured.operation = *find_operation("broadcast");
  EXPECT_DOUBLE_EQ(bus_bandwidth(measured, {{1e9}, {0.01}}).count, 100e9);
}

TEST(Measurement, MergeTakesTheMedianOfASizeThatStandsTwice) {
  Measurements one = random_measurements(operations()[0], 2, 1, 1);
  one.points = {{{4}, {10}}, {{8}, {20}}};
  Measurements two = one;
  two.points = {{{8}, {22}}, {{16}, {30}}};
  const auto all = merge(std::vector{one, two});
  ASSERT_TRUE(all);
  EXPECT_THAT(all->points, testing::ElementsAre(MeasuredPoint{{4}, {10}}, MeasuredPoint{{8}, {21}},
                                                MeasuredPoint{{16}, {30}}));
  two.ranks = 4;
  EXPECT_THAT(merge(std::vector{one, two}).error().text(),
              HasSubstr("mixed measurements: all_reduce, 2 ranks on 1 nodes"));
}

}  // namespace
}  // namespace calibrate::measurements
