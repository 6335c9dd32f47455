// Shares in print, by hand.
#include "netmodels/percent.hpp"

#include <gtest/gtest.h>

namespace netmodels {
namespace {

TEST(Percent, HasFixedDecimals) {
  EXPECT_EQ(percent(0.123456, 1), "12.3 %");
  EXPECT_EQ(percent(0.5, 2), "50.00 %");
  EXPECT_EQ(percent(-0.071, 0), "-7 %");
}

TEST(Percent, OrSignificantDigits) {
  EXPECT_EQ(short_percent(0.075, 2), "7.5 %");
  EXPECT_EQ(short_percent(0.00012345, 2), "0.012 %");
  EXPECT_EQ(short_percent(1, 3), "100 %");
  EXPECT_EQ(short_percent(0.997, 2), "100 %");
  EXPECT_EQ(short_percent(-12.345, 2), "-1234 %");
}

}  // namespace
}  // namespace netmodels
