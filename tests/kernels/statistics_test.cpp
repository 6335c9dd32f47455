// Tests of the statistics of a vector from one pass.
#include "kernels/statistics.hpp"

#include <array>

#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

/// Sixteen lanes, added pairwise: the order that statistics.hpp states.
double laned(std::span<const double> terms) {
  std::array<double, 16> lane{};
  for (std::size_t i = 0; i < terms.size(); ++i) lane[i % 16] += terms[i];
  std::array<double, 4> four{};
  for (std::size_t i = 0; i < 4; ++i) four[i] = (lane[i] + lane[8 + i]) + (lane[4 + i] + lane[12 + i]);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

TEST(Statistics, OfFourValuesByHand) {
  const std::vector<float> vector{3, -4, 0, 1};
  const Statistics found = measure(vector);
  EXPECT_EQ(found.energy, 26);
  EXPECT_EQ(found.magnitude_sum, 8);
  EXPECT_EQ(found.mean(), 2);
  EXPECT_EQ(absolute(found.largest), 4);
  EXPECT_EQ(found.finite, 4);
  EXPECT_EQ(count_at_least(vector, magnitude(3)), 2);
}

TEST(Statistics, OfNothingAreZero) {
  EXPECT_EQ(measure({}).mean(), 0);
  EXPECT_EQ(energy({}), 0);
  EXPECT_EQ(count_at_least({}, 0), 0);
}

TEST(Statistics, LeaveNaNAndInfinityOutOfTheMean) {
  const Statistics found = measure(std::vector<float>{not_a_number, 2, -infinity});
  EXPECT_EQ(found.mean(), 2);
  EXPECT_EQ(absolute(found.largest), 2);
  EXPECT_EQ(found.finite, 1);
  EXPECT_TRUE(std::isnan(found.energy));
}

TEST(Statistics, EqualTheNaiveOnesBitForBitInTheStatedOrder) {
  Random random(2);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random), finite_kinds);
    std::vector<double> squares, sizes;
    Magnitude largest = 0;
    for (const float value : vector) {
      squares.push_back(static_cast<double>(value) * value);
      sizes.push_back(std::abs(value));
      largest = std::max(largest, magnitude(value));
    }
    const Statistics found = measure(vector);
    ASSERT_EQ(found.energy, laned(squares));
    ASSERT_EQ(energy(vector), laned(squares));
    ASSERT_EQ(found.magnitude_sum, laned(sizes));
    ASSERT_EQ(found.largest, largest);
  }
}

TEST(Statistics, CountLikeALoop) {
  Random random(3);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random));
    const Magnitude threshold = magnitude(random_value(random, below(random, all_kinds)));
    std::int64_t count = 0, finite = 0;
    for (const float value : vector) {
      count += magnitude(value) >= threshold;
      finite += std::isfinite(value) ? 1 : 0;
    }
    ASSERT_EQ(count_at_least(vector, threshold), count);
    ASSERT_EQ(measure(vector).finite, finite);
  }
}

}  // namespace
}  // namespace kernels
