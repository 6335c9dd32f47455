// Random numbers by counting: fixed figures, independence of order, and moments of the distributions.
#include "sim/engine/random.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace sim::engine {
namespace {

TEST(Draw, GivesTheFiguresOfAnIndependentComputation) {  // Python's integers, mixed as Steele et al. print it
  EXPECT_EQ(Draw(1, Stream::jitter, 0).uniform(), 0.3721784645850847);
  EXPECT_EQ(Draw(1, Stream::probe, 0).uniform(), 0.1429021624169608);
  EXPECT_EQ(Draw(42, Stream::audit, 7, 5).uniform(), 0.7586453108835942);
  EXPECT_NEAR(Draw(1, Stream::jitter, 0).normal(), -0.8613861071003268, 1e-14);
  EXPECT_NEAR(Draw(1, Stream::jitter, 0).exponential(), 0.9883817962408235, 1e-14);
}

TEST(Draw, DoesNotDependOnWhatWasDrawnBefore) {
  Draw warm(9, Stream::jitter, 3, 4);
  for (int count = 0; count < 100; ++count) (void)warm.uniform();
  EXPECT_EQ(Draw(9, Stream::jitter, 3, 5).uniform(), Draw(9, Stream::jitter, 3, 5).uniform());
}

TEST(Draw, DiffersBySeedStreamIndexAndSubIndex) {
  std::set<double> seen;
  for (const std::uint64_t seed : {1U, 2U}) {
    for (const Stream stream : {Stream::jitter, Stream::probe, Stream::audit}) {
      for (std::uint64_t index = 0; index < 20; ++index) {
        for (std::uint64_t sub = 0; sub < 20; ++sub) seen.insert(Draw(seed, stream, index, sub).uniform());
      }
    }
  }
  EXPECT_EQ(seen.size(), 2U * 3 * 20 * 20);
}

TEST(Draw, MomentsAreThoseOfTheDistributions) {  // 20000 draws: four standard errors
  constexpr int kDraws = 20000;
  double uniform = 0;
  double normal = 0;
  double square = 0;
  double exponential = 0;
  for (std::uint64_t index = 0; index < kDraws; ++index) {
    const double level = Draw(5, Stream::jitter, index).uniform();
    EXPECT_GT(level, 0);
    EXPECT_LT(level, 1);
    uniform += level;
    const double deviate = Draw(5, Stream::probe, index).normal();
    normal += deviate;
    square += deviate * deviate;
    exponential += Draw(5, Stream::audit, index).exponential();
  }
  const double root = std::sqrt(1.0 * kDraws);
  EXPECT_NEAR(uniform / kDraws, 0.5, 4 / std::sqrt(12.0) / root);
  EXPECT_NEAR(normal / kDraws, 0, 4 / root);
  EXPECT_NEAR(square / kDraws, 1, 4 * std::sqrt(2.0) / root);
  EXPECT_NEAR(exponential / kDraws, 1, 4 / root);
}

}  // namespace
}  // namespace sim::engine
