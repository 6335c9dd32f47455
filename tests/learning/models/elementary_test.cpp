// Tests of the elementary functions against the standard library's in double precision.
#include "learning/models/elementary.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace learning::models {
namespace {

TEST(Exponential, IsWithinTwoParts) {
  for (float x = -87; x <= 88; x += 0.0137F) {
    const double exact = std::exp(static_cast<double>(x));
    ASSERT_NEAR(static_cast<double>(exponential(x)), exact, 2e-7 * exact) << x;
  }
}

TEST(Exponential, OfZeroIsOneAndStaysFiniteFarOut) {
  EXPECT_EQ(exponential(0), 1);
  EXPECT_EQ(exponential(-1e30F), exponential(-87));
  EXPECT_EQ(exponential(std::numeric_limits<float>::infinity()), exponential(88));
  EXPECT_TRUE(std::isnan(exponential(std::numeric_limits<float>::quiet_NaN())));
}

TEST(Sigmoid, AndTangentAreWithinTwoTenMillionths) {
  for (float x = -100; x <= 100; x += 0.0613F) {
    const auto exact = static_cast<double>(x);
    ASSERT_NEAR(static_cast<double>(sigmoid(x)), 1 / (1 + std::exp(-exact)), 2e-7) << x;
    ASSERT_NEAR(static_cast<double>(hyperbolic_tangent(x)), std::tanh(exact), 2e-7) << x;
  }
}

TEST(Logarithm, AgreesToItsLastBits) {
  for (double x = 1e-3; x < 1e6; x *= 1.0173)
    ASSERT_NEAR(logarithm(x), std::log(x), 4e-16 * (1 + std::abs(std::log(x)))) << x;
  EXPECT_EQ(logarithm(1), 0);
  EXPECT_TRUE(std::isnan(logarithm(std::nan(""))));
}

}  // namespace
}  // namespace learning::models
