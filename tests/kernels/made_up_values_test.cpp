// Made-up gradients: values by hand, moments and quantiles of their distributions.
#include "kernels/made_up_values.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace kernels {
namespace {

constexpr std::size_t count = 400'000;

std::vector<float> sorted_values(GradientValues values) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = made_up_value(values, i);
  std::ranges::sort(made);
  return made;
}

TEST(MadeUpValues, OfGivenWordsAreThoseByHand) {
  // All halves at their largest: 8 x 65535, (2 - 1) x 524280 x 65536 and the 16 fine bits above 0.
  const MadeUpParts largest = bell_shaped_parts({~0U, ~0U, ~0U, ~0U});
  EXPECT_GE(largest.numerator, 524280.0 * 65536);
  EXPECT_LT(largest.numerator, 524281.0 * 65536);
  EXPECT_NEAR(largest.numerator * static_cast<double>(largest.scale), 4.9e-3, 1e-5);
  // u just below 3/4 (the word is 3 x 2^30 - 1): (2 u - 1) / sqrt(2 u (1 - u)) = 0.5 / sqrt(0.375).
  const MadeUpParts quartile = heavy_tailed_parts(3U << 30);
  EXPECT_NEAR(quartile.numerator / std::sqrt(quartile.square), 0.8164966, 1e-6);
}

TEST(MadeUpValues, ThatAreBellShapedHaveTheDeviationAndQuantilesOfANormalDistribution) {
  const auto made = sorted_values(GradientValues::bell_shaped);
  double sum = 0, squares = 0;
  for (const float value : made) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  EXPECT_NEAR(sum / count, 0, 1e-5);
  EXPECT_NEAR(std::sqrt(squares / count), 1e-3, 1e-5);
  EXPECT_NEAR(made[count * 84134 / 100000], 1e-3, 0.02e-3);  // one deviation
  EXPECT_NEAR(made[count * 97725 / 100000], 2e-3, 0.03e-3);  // two
}

TEST(MadeUpValues, ThatAreHeavyTailedHaveTheQuantilesOfStudentsT) {
  const auto made = sorted_values(GradientValues::heavy_tailed);
  EXPECT_NEAR(made[count * 3 / 4], 0.8165e-4, 0.01e-4);
  EXPECT_NEAR(made[count * 995 / 1000], 9.9248e-4, 0.4e-4);  // tables: t(2) at 0.995
  EXPECT_GT(made.back(), 100 * made[count * 3 / 4]);
}

TEST(MadeUpValues, AreNeverZeroAndHardlyEverEqual) {
  for (const auto values : {GradientValues::bell_shaped, GradientValues::heavy_tailed}) {
    auto made = sorted_values(values);
    EXPECT_EQ(std::ranges::count(made, 0.0F), 0);
    const auto last = std::unique(made.begin(), made.end());
    EXPECT_GT(last - made.begin(), static_cast<std::ptrdiff_t>(count * 98 / 100));
  }
}

}  // namespace
}  // namespace kernels
