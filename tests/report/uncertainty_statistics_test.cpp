// Percentiles, and the value of information, where both can be found by hand.
#include "sim/report/uncertainty_statistics.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

namespace sim::report {
namespace {

/// Midpoints of `count` equal parts of 0 to 1.
std::vector<double> even(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(count));
  return values;
}

/// Another order of the same numbers, which has nothing to do with the first.
std::vector<double> mixed(const std::vector<double>& values) {
  std::vector<double> other;
  constexpr std::size_t stride = 73;  // has no factor in common with 200 or 1000
  for (std::size_t i = 0; i < values.size(); ++i) other.push_back(values[(i * stride + 11) % values.size()]);
  return other;
}

std::vector<double> linear(const std::vector<double>& input, double at_zero, double slope) {
  std::vector<double> values;
  for (const double x : input) values.push_back(at_zero + slope * x);
  return values;
}

TEST(Percentiles, LieBetweenNeighbouringValues) {
  std::vector<double> values;
  for (int i = 20; i >= 0; --i) values.push_back(i);
  const Percentiles found = percentiles_of(values);
  EXPECT_DOUBLE_EQ(found.median, 10);
  EXPECT_DOUBLE_EQ(found.low, 1);
  EXPECT_DOUBLE_EQ(found.high, 19);
  EXPECT_DOUBLE_EQ(percentiles_of(std::vector{1.0, 2.0}).median, 1.5);
}

/// One arm takes 1, the other x + 0.6, with x even from 0 to 1. The first is chosen (1 < 1.1). The other is
/// faster where x < 0.4, by 0.4 - x: knowing x saves the integral of that, 0.4^2 / 2 = 0.08.
TEST(ValueOfInformation, IsThatByHandOfTwoArmsLinearInOneInput) {
  const std::vector<double> input = even(1000);
  const Costs costs{linear(input, 1, 0), linear(input, 0.6, 1)};
  EXPECT_EQ(best_on_average(costs), 0U);
  EXPECT_NEAR(value_of_all(costs), 0.08, 1e-6);
  EXPECT_NEAR(value_of_knowing(input, costs), 0.08, 1e-6);
  EXPECT_EQ(value_of_knowing(mixed(input), costs), 0) << "it says nothing about x";
}

/// The other arm takes x + y + 0.1, both even. Knowing x alone, it takes x + 0.6 on average: 0.08 again, and
/// the same for y. Knowing both: the triangle x + y < 0.9 saves 0.9 - x - y, which is 0.9^3 / 6 = 0.1215.
TEST(ValueOfInformation, OfOneInputIsLessThanOfAll) {
  const std::vector<double> x = even(1000);
  const std::vector<double> y = mixed(x);
  Costs costs{linear(x, 1, 0), linear(x, 0.1, 1)};
  for (std::size_t i = 0; i < y.size(); ++i) costs[1][i] += y[i];
  // What is saved in the 400 samples with x < 0.4 varies with y, by 0.289 each: the mean over all 1000 has a
  // standard error of 0.289 * sqrt(400) / 1000 = 0.0058.
  EXPECT_NEAR(value_of_knowing(x, costs), 0.08, 0.0058);
  EXPECT_NEAR(value_of_knowing(y, costs), 0.08, 0.0058);
  EXPECT_NEAR(value_of_all(costs), 0.1215, 0.003);
}

TEST(ValueOfInformation, IsNothingWhereOneArmAlwaysWins) {
  const std::vector<double> input = even(200);
  const Costs costs{linear(input, 1, 0), linear(input, 1.5, 1)};
  EXPECT_EQ(value_of_all(costs), 0);
  EXPECT_EQ(value_of_knowing(input, costs), 0);
}

/// Of three arms each is the fastest somewhere: 0.1 + 2x, 0.8 and 2.1 - 2x. The middle one is chosen; below
/// x = 0.35 the first saves 0.7 - 2x, above 0.65 the third as much: together 2 * 0.35^2 = 0.245.
TEST(ValueOfInformation, TakesTheBestOfSeveralArms) {
  const std::vector<double> input = even(1000);
  const Costs costs{linear(input, 0.1, 2), linear(input, 0.8, 0), linear(input, 2.1, -2)};
  EXPECT_EQ(best_on_average(costs), 1U);
  EXPECT_NEAR(value_of_all(costs), 0.245, 1e-5);
  EXPECT_NEAR(value_of_knowing(input, costs), 0.245, 1e-5);
}

/// A time that falls with bandwidth is no polynomial: 1 / x over a factor of three, within 2 %.
TEST(ValueOfInformation, IsCloseForTimesThatFallWithBandwidth) {
  std::vector<double> bandwidth;
  Costs costs(2);
  for (const double share : even(1000)) {
    bandwidth.push_back(1 + 2 * share);
    costs[0].push_back(0.55);
    costs[1].push_back(1 / bandwidth.back());
  }
  EXPECT_NEAR(value_of_knowing(bandwidth, costs) / value_of_all(costs), 1, 0.02);
}

/// Uniform from 0 to 1, of a linear congruential generator (Knuth's MMIX constants).
std::vector<double> scattered(std::size_t count, std::uint64_t seed) {
  std::vector<double> values;
  std::uint64_t state = seed;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    values.push_back(static_cast<double>(state >> 11U) / 9007199254740992.0);
  }
  return values;
}

/// One arm takes 1, the other x + y + 0.1: knowing x saves 0.08, as above, and knowing z nothing. Over many
/// draws of few samples the mean is near both, and no draw says more of x than of everything.
TEST(ValueOfInformation, IsNotInflatedByFewSamples) {
  for (const std::size_t samples : {40U, 200U}) {
    constexpr int draws = 200;
    double of_x = 0;
    double of_z = 0;
    for (int draw = 0; draw < draws; ++draw) {
      const auto seed = static_cast<std::uint64_t>(7919 * draw + 1);
      const std::vector<double> all = scattered(3 * samples, seed);
      const auto part = [&](std::size_t i) {
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(i * samples);
        return std::vector<double>(from, from + static_cast<std::ptrdiff_t>(samples));
      };
      const std::vector<double> x = part(0);
      const std::vector<double> y = part(1);
      Costs costs{linear(x, 1, 0), linear(x, 0.1, 1)};
      for (std::size_t i = 0; i < samples; ++i) costs[1][i] += y[i];
      EXPECT_LE(value_of_knowing(x, costs), value_of_all(costs));
      of_x += value_of_knowing(x, costs) / draws;
      of_z += value_of_knowing(part(2), costs) / draws;
    }
    EXPECT_NEAR(of_x, 0.08, 0.015) << samples;
    EXPECT_LT(of_z, 0.002) << samples;
  }
}

/// The other arm is slower by 1 in one sample of forty at random places and faster by 0.01 in the rest, which
/// no input explains: what a curve finds in it is noise, and not more than knowing everything is worth.
TEST(ValueOfInformation, OfOneInputIsNeverMoreThanOfAll) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<double> input = scattered(40, seed);
    Costs costs{linear(input, 1, 0), linear(input, 0.99, 0)};
    costs[1][seed % 40] = 2;
    EXPECT_LE(value_of_knowing(input, costs), value_of_all(costs)) << seed;
  }
}

}  // namespace
}  // namespace sim::report
