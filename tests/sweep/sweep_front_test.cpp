// Pareto fronts of two figures.
#include "sim/sweep/sweep_front.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sim::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Front, KeepsWhatNothingBeatsFromTheBestXToTheBestY) {
  const Figures time{3, 1, 2, 4, 2};
  const Figures bytes{1, 9, 5, 1, 6};
  EXPECT_THAT(front(time, bytes, false, false), ElementsAre(1, 2, 0));
}

TEST(Front, MoreMayBeBetter) {
  const Figures time{3, 1, 2};
  const Figures accuracy{0.9, 0.5, 0.95};
  EXPECT_THAT(front(time, accuracy, false, true), ElementsAre(1, 2));
  EXPECT_THAT(front(accuracy, time, true, false), ElementsAre(2, 1));
}

TEST(Front, OfEqualRowsTheFirstStands) {
  EXPECT_THAT(front({1, 1, 1}, {2, 2, 3}, false, false), ElementsAre(0));
}

TEST(Front, RowsWithoutAFigureTakeNoPart) {
  EXPECT_THAT(front({std::nullopt, 1, 2}, {0, std::nullopt, 5}, false, false), ElementsAre(2));
  EXPECT_THAT(front({}, {}, false, false), IsEmpty());
}

TEST(Front, HoldsAgainstEveryOtherRow) {
  std::mt19937 random(7);
  Figures x;
  Figures y;
  for (int i = 0; i < 300; ++i) {
    x.emplace_back(static_cast<double>(random() % 40));
    y.emplace_back(static_cast<double>(random() % 40));
  }
  const auto beats = [&](std::size_t a, std::size_t b) {
    return *x[a] <= *x[b] && *y[a] >= *y[b] && (*x[a] < *x[b] || *y[a] > *y[b]);
  };
  const auto rows = front(x, y, false, true);
  for (std::size_t row = 0; row < x.size(); ++row) {
    bool beaten = false;
    for (std::size_t other = 0; other < x.size(); ++other) beaten = beaten || beats(other, row);
    bool there = false;
    for (const std::size_t member : rows) there = there || (x[member] == x[row] && y[member] == y[row]);
    EXPECT_EQ(there, !beaten) << row;
  }
}

}  // namespace
}  // namespace sim::sweep
