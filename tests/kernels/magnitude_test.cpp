// The order of magnitudes, and how many values a ratio keeps.
#include "kernels/magnitude.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tests/kernels/reference.hpp"

namespace kernels {

// Tests of how many values a ratio keeps.

namespace {

TEST(Kept, RoundsAndKeepsAtLeastOne) {
  EXPECT_EQ(kept(0.01, 149), 1);
  EXPECT_EQ(kept(0.01, 150), 2);  // 1.5
  EXPECT_EQ(kept(0.001, 10), 1);
  EXPECT_EQ(kept(1, 7), 7);
}

TEST(Kept, IsNoneOfNothing) { EXPECT_EQ(kept(0.5, 0), 0); }

TEST(Kept, CountsBeyond32Bits) { EXPECT_EQ(kept(0.5, std::int64_t{1} << 40), std::int64_t{1} << 39); }

}  // namespace

// Tests of the order of magnitudes.

namespace {

using namespace reference;

TEST(Magnitude, OrdersZeroDenormalFiniteInfinityNaN) {
  EXPECT_EQ(magnitude(-0.0F), 0);
  EXPECT_LT(magnitude(0.0F), magnitude(-denormal));
  EXPECT_LT(magnitude(-denormal), magnitude(std::numeric_limits<float>::min()));
  EXPECT_LT(magnitude(-1.0F), magnitude(1.0000001F));
  EXPECT_LT(magnitude(std::numeric_limits<float>::max()), magnitude(-infinity));
  EXPECT_LT(magnitude(-infinity), magnitude(not_a_number));
  EXPECT_EQ(magnitude(infinity), infinite_magnitude);
  EXPECT_EQ(magnitude(not_a_number), magnitude(std::bit_cast<float>(0xff800123U)));
}

TEST(Magnitude, GoesBackToTheAbsoluteValue) {
  for (const float value : {0.0F, -1.5F, 3e38F, -denormal}) {
    EXPECT_EQ(absolute(magnitude(value)), std::abs(value));
  }
}

TEST(Magnitude, AtLeastNeverLetsASmallerValuePass) {
  Random random(1);
  for (int round = 0; round < 10000; ++round) {
    const float value = random_value(random, below(random, finite_kinds));
    const double threshold =
        std::abs(static_cast<double>(value)) * (1 + (static_cast<double>(round % 3) - 1) * 1e-12);
    EXPECT_EQ(magnitude(value) >= at_least(threshold), std::abs(static_cast<double>(value)) >= threshold);
  }
}

TEST(Magnitude, AtLeastNothingTakesAllAndBeyondFloatLeavesInfinity) {
  EXPECT_EQ(at_least(0), 0);
  EXPECT_EQ(at_least(std::nan("")), 0);
  EXPECT_EQ(at_least(1e300), infinite_magnitude);
  EXPECT_EQ(at_least(1e-300), 1);
}

}  // namespace
}  // namespace kernels
