// Curves between measured ratios, and the ratios that no other beats.
#include "policies/pareto_ratio.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace policies {

// Interpolation over the logarithm of the ratio, and the pooling of points out of order.

namespace {

TEST(RatioCurve, GoesThroughItsPointsInWhateverOrderTheyCome) {
  const RatioCurve curve({{0.1, 3}, {0.001, 1}, {0.01, 2.5}});
  EXPECT_EQ(curve.at(0.001), 1);
  EXPECT_EQ(curve.at(0.01), 2.5);
  EXPECT_EQ(curve.at(0.1), 3);
}

TEST(RatioCurve, IsStraightOverTheLogarithm) {
  const RatioCurve curve({{0.1, 3}, {0.001, 1}});
  EXPECT_DOUBLE_EQ(curve.at(0.01), 2);
}

TEST(RatioCurve, IsConstantBeyondItsPoints) {
  const RatioCurve curve({{0.1, 3}, {0.001, 1}});
  EXPECT_EQ(curve.at(1e-6), 1);
  EXPECT_EQ(curve.at(1), 3);
}

TEST(RatioCurve, OfOnePointIsConstant) { EXPECT_EQ(RatioCurve({{0.1, 3}}).at(0.5), 3); }

TEST(RatioCurve, RisingLeavesPointsInOrderAlone) {
  const RatioCurve curve = RatioCurve::rising({{0.001, 1}, {0.01, 2}, {0.1, 2}});
  EXPECT_EQ(curve.at(0.001), 1);
  EXPECT_EQ(curve.at(0.01), 2);
}

TEST(RatioCurve, RisingGivesPointsOutOfOrderTheirMean) {  // 4 and 2 share 3
  const RatioCurve curve = RatioCurve::rising({{0.001, 1}, {0.004, 4}, {0.01, 2}, {0.1, 5}});
  EXPECT_EQ(curve.at(0.001), 1);
  EXPECT_EQ(curve.at(0.004), 3);
  EXPECT_EQ(curve.at(0.01), 3);
  EXPECT_EQ(curve.at(0.1), 5);
}

TEST(RatioCurve, RisingPoolsBackwardsAsFarAsItMust) {  // 2, 3, then 1: all share 2
  const RatioCurve curve = RatioCurve::rising({{0.001, 2}, {0.01, 3}, {0.1, 1}});
  for (const double ratio : {0.001, 0.01, 0.1}) EXPECT_EQ(curve.at(ratio), 2);
}

}  // namespace

// Fronts and knees of known problems, and NSGA-II against the exact front.

namespace {

constexpr std::array<double, 2> published{0.6, 0.4};

std::vector<ParetoPoint> exact(const RatioObjectives& objectives, const RatioRange& range) {
  return pareto_front(ParetoSolver::exact, objectives, range, 0);
}

/// Cost c against 1/c: no point dominates another.
const RatioObjectives trade = [](double ratio) { return std::vector{ratio, 1 / ratio}; };

TEST(ParetoFront, HoldsEveryRatioWhereOneObjectivesLossIsTheOthersGain) {
  const auto front = exact(trade, {0.001, 0.1});
  EXPECT_EQ(front.size(), 513);
  EXPECT_EQ(front.front().ratio, 0.001);
  EXPECT_EQ(front.back().ratio, 0.1);
  EXPECT_TRUE(std::ranges::is_sorted(front, {}, &ParetoPoint::ratio));
}

TEST(ParetoFront, LeavesOutWhatIsWorseInEverything) {  // best at 0.01 and at 0.1: below 0.01 both get worse
  const RatioObjectives two_valleys = [](double ratio) {
    return std::vector{std::abs(std::log10(ratio) + 2), std::abs(std::log10(ratio) + 1)};
  };
  for (const ParetoSolver solver : {ParetoSolver::exact, ParetoSolver::nsga2}) {
    for (const ParetoPoint& point : pareto_front(solver, two_valleys, {0.0001, 1}, 3)) {
      EXPECT_GE(point.ratio, 0.0099);
      EXPECT_LE(point.ratio, 0.101);
    }
  }
}

TEST(ParetoFront, OfOneObjectiveIsItsMinimum) {
  const auto front = exact([](double ratio) { return std::vector{-ratio}; }, {0.001, 0.1});
  ASSERT_EQ(front.size(), 1);
  EXPECT_EQ(front.front().ratio, 0.1);
}

TEST(ParetoFront, OfARangeOfOneRatioIsThatRatio) {
  for (const ParetoSolver solver : {ParetoSolver::exact, ParetoSolver::nsga2}) {
    const auto front = pareto_front(solver, trade, {0.1, 0.1}, 1);
    ASSERT_EQ(front.size(), 1);
    EXPECT_EQ(front.front().ratio, 0.1);
  }
}

// 0.6 (c - 0.01) / 0.99 = 0.4 (1/c - 1) / 99 is 60 c^2 - 0.2 c - 0.4 = 0: c = (0.2 + 9.8) / 120.
TEST(Knee, IsWhereTheWeightedObjectivesMeet) {
  const auto front = exact(trade, {0.01, 1});
  EXPECT_NEAR(knee(front, published).ratio, 1.0 / 12, 0.01 / 12);
}

TEST(Knee, FollowsTheWeights) {
  const auto front = exact(trade, {0.01, 1});
  EXPECT_EQ(knee(front, std::array{1.0, 0.0}).ratio, 0.01);
  EXPECT_EQ(knee(front, std::array{0.0, 1.0}).ratio, 1);
  EXPECT_LT(knee(front, std::array{0.9, 0.1}).ratio, knee(front, published).ratio);
}

TEST(Knee, AnObjectiveThatIsTheSameEverywhereDoesNotCount) {
  const RatioObjectives three = [](double ratio) { return std::vector{ratio, 1 / ratio, 7.0}; };
  const auto front = exact(three, {0.01, 1});
  EXPECT_EQ(knee(front, std::array{0.6, 0.4, 100.0}).ratio, knee(exact(trade, {0.01, 1}), published).ratio);
}

TEST(Knee, AThirdObjectivePullsToItsSide) {
  const RatioObjectives three = [](double ratio) { return std::vector{ratio, 1 / ratio, -ratio}; };
  const auto front = exact(three, {0.01, 1});
  EXPECT_GT(knee(front, std::array{0.6, 0.4, 0.6}).ratio, knee(front, std::array{0.6, 0.4, 0.0}).ratio);
}

/// A front with the kink of a change of collective and a gain that saturates.
const RatioObjectives exchange = [](double ratio) {
  return std::vector{std::min(1e-3 + 14 * ratio, 8e-3 + 4 * ratio),
                     1 / (0.3 + 0.25 * std::log10(ratio / 1e-3))};
};

TEST(Nsga2, LandsOnTheExactKnee) {
  for (const RatioObjectives& objectives : {trade, exchange}) {
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
      for (const double time : {0.3, 0.6, 0.8}) {
        const RatioRange range{0.001, 0.1};
        const std::array weights{time, 1 - time};
        const double reference = std::log(knee(exact(objectives, range), weights).ratio);
        const auto front = pareto_front(ParetoSolver::nsga2, objectives, range, seed);
        EXPECT_NEAR(std::log(knee(front, weights).ratio), reference, 0.05 * std::abs(reference)) << seed;
      }
    }
  }
}

TEST(Nsga2, StaysInTheRangeAndRepeatsItselfForASeed) {
  const auto once = pareto_front(ParetoSolver::nsga2, exchange, {0.001, 0.1}, 7);
  const auto again = pareto_front(ParetoSolver::nsga2, exchange, {0.001, 0.1}, 7);
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].ratio, again[i].ratio);
    EXPECT_GE(once[i].ratio, 0.001);
    EXPECT_LE(once[i].ratio, 0.1);
  }
}

}  // namespace
}  // namespace policies
