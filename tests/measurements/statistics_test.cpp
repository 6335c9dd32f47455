// Medians, quantiles and summaries by hand.
#include "calibrate/measurements/statistics.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace calibrate::measurements {
namespace {

TEST(Statistics, AreAsByHand) {
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.9), 4.6);
  const RelativeErrors errors = summarise(std::vector{-0.1, 0.3});
  EXPECT_DOUBLE_EQ(errors.mean, 0.2);
  EXPECT_DOUBLE_EQ(errors.bias, 0.1);
  EXPECT_DOUBLE_EQ(errors.worst, 0.3);
}

TEST(Statistics, QuantilesOfOneValueAreThatValue) {
  EXPECT_DOUBLE_EQ(quantile({7}, 0), 7);
  EXPECT_DOUBLE_EQ(quantile({7}, 1), 7);
}

}  // namespace
}  // namespace calibrate::measurements
