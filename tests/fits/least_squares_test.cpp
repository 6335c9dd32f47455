// Factors of terms: known ones come back, none is negative, and one wild value moves them little.
#include "calibrate/fits/least_squares.hpp"

#include <gtest/gtest.h>

namespace calibrate::fits {
namespace {

std::vector<Observation> line(double start, double slope) {
  std::vector<Observation> observations;
  for (double x = 1; x < 1e6; x *= 4) observations.push_back({{1, x}, start + slope * x});
  return observations;
}

TEST(LeastSquares, KnownFactorsComeBack) {
  const auto factors = fit_factors(line(3, 0.5));
  EXPECT_NEAR(factors[0], 3, 1e-6);
  EXPECT_NEAR(factors[1], 0.5, 1e-8);
  EXPECT_DOUBLE_EQ(sum_of(factors, std::vector<double>{1, 0}), factors[0]);
}

TEST(LeastSquares, NoFactorIsNegative) {
  std::vector<Observation> falling = line(3, 0.5);
  for (Observation& each : falling) each.terms[0] = -1;
  for (const double factor : fit_factors(falling)) EXPECT_GE(factor, 0);
}

TEST(LeastSquares, OneWildValueMovesTheFactorsLittle) {
  auto observations = line(3, 0.5);
  observations[5].value *= 10;
  const auto factors = fit_factors(observations);
  EXPECT_NEAR(factors[0], 3, 0.06);
  EXPECT_NEAR(factors[1], 0.5, 0.01);
}

TEST(LeastSquares, TermThatIsNothingGetsNothing) {
  auto observations = line(3, 0.5);
  for (Observation& each : observations) each.terms.push_back(0);
  EXPECT_EQ(fit_factors(observations)[2], 0);
}

}  // namespace
}  // namespace calibrate::fits
