// Tests of the distance between levels.
#include "kernels/level_step.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace kernels {
namespace {

constexpr float largest = std::numeric_limits<float>::max();

TEST(LevelStep, IsTheQuotient) {
  EXPECT_EQ(level_step(254, 127), 2.0F);
  EXPECT_EQ(level_step(1, 3), 1.0F / 3);
  EXPECT_EQ(level_step(0, 127), 0.0F);
}

TEST(LevelStep, LeavesEveryLevelOfAFiniteScaleFinite) {
  EXPECT_TRUE(std::isinf(largest / 127 * 127));  // what the plain quotient does
  for (int levels = 1; levels <= 127; ++levels) {
    const auto count = static_cast<float>(levels);
    const float step = level_step(largest, count);
    EXPECT_TRUE(std::isfinite(step * count)) << levels;
    EXPECT_GE(step, std::nextafter(largest / count, 0.0F)) << levels;
  }
}

TEST(LevelStep, OfNanIsNan) {
  EXPECT_TRUE(std::isnan(level_step(std::numeric_limits<float>::quiet_NaN(), 127)));
}

}  // namespace
}  // namespace kernels
