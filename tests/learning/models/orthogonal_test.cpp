// Newton-Schulz iterations by hand on diagonal matrices, and where they lead on others.
#include "learning/models/orthogonal.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace learning::models {
namespace {

using Values = std::vector<float>;

double iterated(double s, int times) {
  for (int i = 0; i < times; ++i) s = 3.4445 * s - 4.775 * s * s * s + 2.0315 * std::pow(s, 5);
  return s;
}

TEST(Orthogonalise, DoesToSingularValuesWhatThePolynomialDoes) {  // norm 5: 0.6 and 0.8
  Values room, once{3, 0, 0, 4}, five{3, 0, 0, 4};
  orthogonalise(once, {2, 2}, 1, room);
  EXPECT_NEAR(once[0], 1.193269, 1e-5);
  EXPECT_NEAR(once[3], 0.976482, 1e-5);
  orthogonalise(five, {2, 2}, 5, room);
  EXPECT_NEAR(five[0], iterated(0.6, 5), 1e-5);
  EXPECT_NEAR(five[3], iterated(0.8, 5), 1e-5);
  EXPECT_EQ(five[1], 0);
}

TEST(Orthogonalise, ATransposedMatrixGivesTheTransposedResult) {
  Values room, wide{1, 2, 3, -4, 5, 0.5F}, tall{1, -4, 2, 5, 3, 0.5F};
  orthogonalise(wide, {2, 3}, 5, room);
  orthogonalise(tall, {3, 2}, 5, room);
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t column = 0; column < 3; ++column)
      EXPECT_EQ(wide[row * 3 + column], tall[column * 2 + row]);
  }
  double across = 0, along = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    across += static_cast<double>(wide[i]) * wide[3 + i];
    along += static_cast<double>(wide[i]) * wide[i];
  }
  EXPECT_LT(std::abs(across), 0.3);  // rows nearly at right angles, of length near 1
  EXPECT_NEAR(along, 1, 0.45);
}

TEST(Orthogonalise, ZerosStayZeros) {
  Values room, zeros(4);
  orthogonalise(zeros, {2, 2}, 5, room);
  EXPECT_EQ(zeros, Values(4));
}

}  // namespace
}  // namespace learning::models
