// Counting messages, rounds and bytes of schedules, mirroring and joining them.
#include "netmodels/schedule.hpp"

#include <gtest/gtest.h>

namespace netmodels {
namespace {

using namespace literals;

/// Rank 0 to 1, then 1 to 2 and 2 to 3, three times over; then 3 to 0 once.
Schedule sample() {
  return {4, {{{{{0, 1, 1_MB}}, {{1, 2, 2_MB}, {2, 3, 3_MB}}}, 3}, {{{{3, 0, 5_MB}}}, 1}}};
}

void expect_equal(const Transfer& left, const Transfer& right) {
  EXPECT_EQ(left.from, right.from);
  EXPECT_EQ(left.to, right.to);
  EXPECT_EQ(left.size, right.size);
}

TEST(Schedule, CountsRepeatedRoundsAsOftenAsTheyArePlayed) {
  EXPECT_EQ(sample().messages(), 3U * 3 + 1);
  EXPECT_EQ(sample().rounds(), 2U * 3 + 1);
  EXPECT_EQ(sample().bytes(), 18_MB + 5_MB);
}

TEST(Schedule, WithoutPhasesIsNothing) {
  const Schedule nothing{1, {}};
  EXPECT_EQ(nothing.messages(), 0U);
  EXPECT_EQ(nothing.rounds(), 0U);
  EXPECT_EQ(nothing.bytes(), 0_B);
}

TEST(Mirrored, TurnsTimeAndDirectionsRound) {
  const Schedule mirror = mirrored(sample());
  ASSERT_EQ(mirror.phases.size(), 2U);
  expect_equal(mirror.phases[0].rounds[0][0], {0, 3, 5_MB});
  EXPECT_EQ(mirror.phases[1].repeat, 3U);
  expect_equal(mirror.phases[1].rounds[0][0], {2, 1, 2_MB});
  expect_equal(mirror.phases[1].rounds[0][1], {3, 2, 3_MB});
  expect_equal(mirror.phases[1].rounds[1][0], {1, 0, 1_MB});
}

TEST(Mirrored, TwiceIsTheScheduleItself) {
  const Schedule original = sample();
  const Schedule twice = mirrored(mirrored(original));
  ASSERT_EQ(twice.phases.size(), original.phases.size());
  for (std::size_t phase = 0; phase < original.phases.size(); ++phase) {
    EXPECT_EQ(twice.phases[phase].repeat, original.phases[phase].repeat);
    for (std::size_t round = 0; round < original.phases[phase].rounds.size(); ++round) {
      for (std::size_t index = 0; index < original.phases[phase].rounds[round].size(); ++index) {
        expect_equal(twice.phases[phase].rounds[round][index], original.phases[phase].rounds[round][index]);
      }
    }
  }
}

TEST(Then, AddsMessagesRoundsAndBytes) {
  const Schedule joined = then(sample(), mirrored(sample()));
  EXPECT_EQ(joined.ranks, 4U);
  EXPECT_EQ(joined.messages(), 20U);
  EXPECT_EQ(joined.rounds(), 14U);
  EXPECT_EQ(joined.bytes(), 46_MB);
}

TEST(Then, KeepsTheFirstScheduleFirst) {
  const Schedule joined = then(sample(), mirrored(sample()));
  expect_equal(joined.phases.front().rounds[0][0], {0, 1, 1_MB});
  expect_equal(joined.phases.back().rounds[1][0], {1, 0, 1_MB});
}

}  // namespace
}  // namespace netmodels
