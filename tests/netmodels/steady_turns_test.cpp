// Turns that only shift clocks are recognised after two of them, and nothing else is taken for one.
#include "netmodels/steady_turns.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

const std::vector<std::uint32_t> kBoth{0, 1};

/// The first turn, from 1 on, after which a shift is returned; 0 where none is in `turns` turns.
std::uint32_t found_after(SteadyTurns& steady, std::uint32_t turns, auto&& clocks) {
  for (std::uint32_t turn = 1; turn <= turns; ++turn) {
    if (steady.shift(clocks(turn))) return turn;
  }
  return 0;
}

std::vector<Seconds> evenly(std::uint32_t turn) { return {{0.25 * turn}, {1 + 0.25 * turn}}; }

TEST(SteadyTurns, TwoEqualShiftsInARowAreFoundAtOnce) {
  SteadyTurns steady(kBoth, 1);
  EXPECT_EQ(found_after(steady, 10, evenly), SteadyTurns::fewest);
  EXPECT_EQ(steady.shift(evenly(4)), Seconds{0.25});
}

TEST(SteadyTurns, OneShiftOfAllClocksDoesNotSuffice) {  // 2, then 1 a turn
  SteadyTurns steady(kBoth, 1);
  const auto slower = [](std::uint32_t turn) {
    const Seconds at{turn == 1 ? 0.0 : 1.0 * turn};
    return std::vector<Seconds>{at, at};
  };
  EXPECT_EQ(found_after(steady, 5, slower), 0U);
}

TEST(SteadyTurns, ClocksThatMoveApartHaveNoShift) {
  SteadyTurns steady(kBoth, 1);
  const auto apart = [](std::uint32_t turn) { return std::vector<Seconds>{{1.0 * turn}, {1.000001 * turn}}; };
  EXPECT_EQ(found_after(steady, 1000, apart), 0U);
}

TEST(SteadyTurns, AClockThatWaitsHasNoShift) {  // it is overtaken after turn 50
  SteadyTurns steady(kBoth, 1);
  const auto waiting = [](std::uint32_t turn) {
    return std::vector<Seconds>{{1.0 * turn}, {std::max(50.0, 1.0 * turn)}};
  };
  const std::uint32_t found = found_after(steady, 1000, waiting);
  EXPECT_GE(found, 52U);
  EXPECT_LE(found, 100U);
}

TEST(SteadyTurns, ClocksThatTurnsDoNotSetAreNotCompared) {
  const std::vector<std::uint32_t> first{0};
  SteadyTurns steady(first, 1);
  const auto square = [](std::uint32_t turn) {
    return std::vector<Seconds>{{1.0 * turn}, {1.0 * turn * turn}};
  };
  EXPECT_EQ(found_after(steady, 10, square), SteadyTurns::fewest);
}

TEST(SteadyTurns, RoundingOfTheTurnsIsNoDifference) {  // 0.1 has no end in binary
  SteadyTurns steady(kBoth, 1);
  Seconds one, other{1e3};
  const auto rounded = [&](std::uint32_t) {
    one += Seconds{0.1};
    other = other + Seconds{0.03} + Seconds{0.07};
    return std::vector<Seconds>{one, other};
  };
  EXPECT_EQ(found_after(steady, 10, rounded), SteadyTurns::fewest);
}

TEST(SteadyTurns, ClocksThatStandOrNeverEndHaveNoShift) {
  SteadyTurns steady(kBoth, 1);
  EXPECT_EQ(found_after(steady, 100, [](std::uint32_t) { return std::vector<Seconds>(2); }), 0U);
  const Seconds never{std::numeric_limits<double>::infinity()};
  steady.restart();
  EXPECT_EQ(found_after(steady, 100, [&](std::uint32_t) { return std::vector<Seconds>(2, never); }), 0U);
}

TEST(SteadyTurns, ARestartForgetsTheTurnsBefore) {
  SteadyTurns steady(kBoth, 1);
  EXPECT_EQ(found_after(steady, 10, evenly), SteadyTurns::fewest);
  steady.restart();
  EXPECT_EQ(found_after(steady, 10, evenly), SteadyTurns::fewest);
}

}  // namespace
}  // namespace netmodels
