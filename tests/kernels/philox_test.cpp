// Tests of the counter-based random numbers.
#include "kernels/philox.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "kernels/uniform.hpp"

namespace kernels {
namespace {

using Words = std::array<std::uint32_t, 4>;

TEST(Philox, MatchesThePublishedKnownAnswers) {  // Random123's kat_vectors, philox4x32 with 10 rounds
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, StepAndSeedGiveOtherNumbers) {
  const RandomStream stream{5, 6};
  EXPECT_NE(stream.block(0), (RandomStream{5, 7}.block(0)));
  EXPECT_NE(stream.block(0), (RandomStream{6, 6}.block(0)));
  EXPECT_NE(stream.block(0), (RandomStream{5 + (std::uint64_t{1} << 32), 6}.block(0)));
  EXPECT_EQ(stream.block(2)[3], stream.word(11));
}

TEST(Philox, UnitIntervalLeavesOutOne) {
  EXPECT_EQ(unit_interval(0), 0.0F);
  EXPECT_EQ(unit_interval(0x80000000U), 0.5F);
  EXPECT_LT(unit_interval(~0U), 1.0F);
}

TEST(Philox, BelowStaysBelowAndReachesBothEnds) {
  const RandomStream stream{1, 0};
  std::vector<int> counts(5);
  for (std::uint64_t i = 0; i < 50000; ++i) ++counts.at(stream.below(5, i));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(stream.below(1, 3), 0U);
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) most = std::max(most, stream.below(std::uint64_t{1} << 32, i));
  EXPECT_GT(most, std::uint64_t{4200000000});
}

TEST(Philox, ARunBeginsAnywhere) {
  const RandomStream stream{9, 2};
  for (std::uint64_t first = 0; first < 9; ++first) {
    std::vector<float> run(7);
    fill_uniform(stream, first, run);
    for (std::uint64_t i = 0; i < run.size(); ++i) EXPECT_EQ(run[i], unit_interval(stream.word(first + i)));
  }
}

}  // namespace
}  // namespace kernels
