// Tests of random proportions: their sum, their moments, and both ends of the concentration.
#include "learning/datasets/dirichlet.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace learning::datasets {
namespace {

TEST(Dirichlet, SharesAddUpToOne) {
  for (const double concentration : {1e-6, 0.01, 0.5, 1.0, 10.0, 1e6}) {
    for (std::uint64_t step = 0; step < 20; ++step) {
      const auto shares = draw_dirichlet(7, concentration, {1, step});
      EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);
      EXPECT_GE(std::ranges::min(shares), 0);
    }
  }
}

TEST(Dirichlet, OneShareIsAll) { EXPECT_EQ(draw_dirichlet(1, 0.3, {1, 2}).front(), 1); }

TEST(Dirichlet, SmallConcentrationGivesNearlyAllToOne) {
  for (std::uint64_t step = 0; step < 50; ++step) {
    EXPECT_GT(std::ranges::max(draw_dirichlet(8, 1e-4, {3, step})), 0.99);
  }
}

TEST(Dirichlet, LargeConcentrationSharesEvenly) {
  for (const double share : draw_dirichlet(8, 1e6, {3, 1})) EXPECT_NEAR(share, 0.125, 1e-3);
}

TEST(Dirichlet, MeanAndVarianceAreThoseOfTheDistribution) {
  constexpr int draws = 20000;
  for (const double concentration : {0.3, 1.0, 4.0}) {
    double sum = 0;
    double squares = 0;
    for (std::uint64_t step = 0; step < draws; ++step) {
      const double share = draw_dirichlet(5, concentration, {9, step})[2];
      sum += share;
      squares += share * share;
    }
    const double mean = sum / draws;
    const double variance = 0.2 * 0.8 / (5 * concentration + 1);  // m (1 - m) / (sum of alphas + 1)
    EXPECT_NEAR(mean, 0.2, 4 * std::sqrt(variance / draws));
    EXPECT_NEAR(squares / draws - mean * mean, variance, 0.06 * variance);
  }
}

}  // namespace
}  // namespace learning::datasets
