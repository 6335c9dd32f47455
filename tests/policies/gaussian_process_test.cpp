// Beliefs at, between and far from known points.
#include "policies/gaussian_process.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace policies {
namespace {

const std::vector<Place> places{{0, 0}, {0.5, 0}, {1, 0}};
const std::vector<double> observed_values{1, 2, 5};

TEST(GaussianProcess, BelievesWhatItWasShown) {
  const GaussianProcess process(places, observed_values);
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_NEAR(process.at(places[i]).mean, observed_values[i], 1e-3);
    EXPECT_LT(process.at(places[i]).deviation, 0.01);
  }
}

TEST(GaussianProcess, FarAwayBelievesTheMeanAndIsUnsure) {
  const GaussianProcess process(places, observed_values);
  const Belief far = process.at({100, 100});
  EXPECT_NEAR(far.mean, 8.0 / 3, 1e-6);
  EXPECT_GT(far.deviation, process.at({0.25, 0}).deviation);
}

TEST(GaussianProcess, OfOnePointIsCertainOfItsValueEverywhere) {  // one point says nothing of the spread
  const GaussianProcess process(std::vector<Place>{{0, 0}}, std::vector<double>{3});
  EXPECT_EQ(process.at({1, 1}).mean, 3);
  EXPECT_EQ(process.at({1, 1}).deviation, 0);
}

TEST(GaussianProcess, TakesALongLengthForAStraightLine) {
  const GaussianProcess line(std::vector<Place>{{0, 0}, {0.25, 0}, {0.5, 0}, {0.75, 0}, {1, 0}},
                             std::vector<double>{0, 1, 2, 3, 4});
  const GaussianProcess saw(std::vector<Place>{{0, 0}, {0.25, 0}, {0.5, 0}, {0.75, 0}, {1, 0}},
                            std::vector<double>{0, 1, 0, 1, 0});
  EXPECT_GT(line.length(), saw.length());
}

TEST(ExpectedImprovement, IsByHandAtThreePlaces) {
  EXPECT_NEAR(expected_improvement({2, 1}, 2), 1 / std::sqrt(2 * std::acos(-1.0)), 1e-12);
  EXPECT_EQ(expected_improvement({1, 0}, 3), 2);
  EXPECT_EQ(expected_improvement({3, 0}, 1), 0);
}

}  // namespace
}  // namespace policies
