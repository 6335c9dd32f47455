// The values that the MPI probe verifies itself by.
#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/probes/mpi_exchange.hpp"

namespace calibrate::probes {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(MpiValues, GradientsAreWholeBoundedAndDifferByRank) {
  const std::vector<float> gradient = gradient_of(0, 10'000);
  for (const float value : gradient) {
    EXPECT_EQ(value, static_cast<float>(static_cast<int>(value)));
    EXPECT_LE(std::abs(value), 32767.0F);
  }
  EXPECT_NE(gradient, gradient_of(1, 10'000));
  EXPECT_LT(std::abs(std::accumulate(gradient.begin(), gradient.end(), 0.0)) / 10'000, 1000);
}

TEST(MpiValues, SumsAreTheSameInAnyOrderOfRanks) {
  std::vector<float> backwards(1000);
  for (int rank = 7; rank >= 0; --rank)
    for (std::size_t i = 0; i < backwards.size(); ++i) backwards[i] += gradient_value(rank, i);
  EXPECT_EQ(backwards, dense_sum(8, 1000));
}

TEST(MpiValues, RatioOfOneLeavesTheDenseSum) {
  EXPECT_EQ(top_k_sum(3, 500, 1), dense_sum(3, 500));
  EXPECT_EQ(ar_top_k_sum(3, 500, 1), dense_sum(3, 500));
}

TEST(MpiValues, ArTopKKeepsTheSumAtThePlacesOfRankZero) {
  const std::vector<float> dense = dense_sum(4, 1000);
  const std::vector<float> sparse = ar_top_k_sum(4, 1000, 0.01);
  const std::vector<float> chosen = top_k_sum(1, 1000, 0.01);
  EXPECT_EQ(std::ranges::count_if(chosen, [](float value) { return value != 0; }), 10);
  for (std::size_t i = 0; i < dense.size(); ++i) EXPECT_EQ(sparse[i], chosen[i] == 0 ? 0 : dense[i]);
}

TEST(MpiValues, UnequalPartsRiseFromHalfTheMeanToOneAndAHalf) {
  EXPECT_THAT(unequal_parts(3, 300), ElementsAre(50, 100, 150));
  EXPECT_THAT(unequal_parts(2, 1), Each(1));
}

TEST(MpiValues, DifferenceIsNamedByItsPlace) {
  const std::vector<float> wanted = {1, 2, 3};
  EXPECT_TRUE(compare(wanted, wanted));
  EXPECT_EQ(compare(wanted, std::vector<float>{1, 5, 4}).error().text(), "value 1 is 5 instead of 2");
  EXPECT_EQ(compare(wanted, std::vector<float>{1}).error().text(), "1 values instead of 3");
}

TEST(MpiValues, AllPairsOfTheLargestGradientAreCountedByAnInt) {
  EXPECT_EQ(pair_words(3), 6);
  EXPECT_EQ(pair_words(std::size_t{1} << 28U), 536'870'912);  // 1 GiB at ratio 1: 2^31 bytes
}

}  // namespace
}  // namespace calibrate::probes
