// Tests of the loss.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "learning/models/stack.hpp"

namespace learning::models {
namespace {

TEST(CrossEntropy, OfEqualOutputsIsTheLogarithmOfTheClasses) {
  const std::vector<float> outputs(8, 3);
  const std::vector<std::uint16_t> labels{0, 3};
  std::vector<float> gradient(8);
  const Score score = cross_entropy(4, outputs, labels, gradient);
  EXPECT_NEAR(score.loss_sum, 2 * std::log(4), 1e-7);
  EXPECT_EQ(score.correct, 1U);  // the first of equal outputs is the answer
  EXPECT_EQ(score.count, 2U);
  EXPECT_EQ(gradient, (std::vector<float>{-0.375F, 0.125F, 0.125F, 0.125F, 0.125F, 0.125F, 0.125F, -0.375F}));
}

TEST(CrossEntropy, IsTheSameWithAndWithoutGradient) {
  const std::vector<float> outputs{0.3F, -2, 1.5F, 4, 0, -1};
  const std::vector<std::uint16_t> labels{2, 1};
  std::vector<float> gradient(6);
  const Score with = cross_entropy(3, outputs, labels, gradient);
  EXPECT_EQ(with.loss_sum, cross_entropy(3, outputs, labels, {}).loss_sum);
  EXPECT_NEAR(
      with.loss_sum,
      std::log(std::exp(0.3) + std::exp(-2) + std::exp(1.5)) - 1.5 + std::log(std::exp(4) + 1 + std::exp(-1)),
      1e-6);
  EXPECT_NEAR(gradient[0], 0.5 * std::exp(0.3) / (std::exp(0.3) + std::exp(-2) + std::exp(1.5)), 1e-7);
}

TEST(CrossEntropy, OfFarOutputsIsFiniteAndOfNaNIsNaN) {
  const std::vector<std::uint16_t> label{1};
  std::vector<float> gradient(2);
  EXPECT_NEAR(cross_entropy(2, std::vector<float>{1e4F, -1e4F}, label, gradient).loss_sum, 2e4, 1e-3);
  const std::vector<float> broken{std::numeric_limits<float>::quiet_NaN(), 0};
  EXPECT_TRUE(std::isnan(cross_entropy(2, broken, label, gradient).loss_sum));
}

TEST(Score, AddsUp) {
  Score score{1.5, 2, 4};
  score += Score{0.5, 1, 3};
  EXPECT_EQ(score.loss_sum, 2);
  EXPECT_EQ(score.correct, 3U);
  EXPECT_EQ(score.count, 7U);
}

}  // namespace
}  // namespace learning::models
