// The fastest candidate over bandwidths, of times a + S / b.
#include "netmodels/crossover.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

/// A part that takes the same time on any network, and bytes to send.
struct Candidate {
  double fixed_s;
  double bytes;
};

TimesAt times_of(std::vector<Candidate> candidates) {
  return [candidates = std::move(candidates)](Bandwidth bandwidth) -> Result<std::vector<Seconds>> {
    std::vector<Seconds> times;
    for (const Candidate& one : candidates)
      times.push_back(Seconds{one.fixed_s} + Bytes{one.bytes} / bandwidth);
    return times;
  };
}

constexpr BandwidthSpan span{{1e6}, {1e10}};

std::vector<FastestFrom> winners(std::vector<Candidate> candidates, double tie = 0.05) {
  auto found = fastest_by_bandwidth(span, tie, times_of(std::move(candidates)));
  EXPECT_TRUE(found.has_value());
  return found ? *found : std::vector<FastestFrom>{};
}

/// 1 + 1e7 / b = 0.1 + 1e8 / b at b = 9e7 / 0.9 = 1e8. The times differ by 5 % where
/// 1.05 (1 + 1e7 / b) = 0.1 + 1e8 / b: b = (1e8 - 1.05e7) / 0.95, and where
/// 1 + 1e7 / b = 1.05 (0.1 + 1e8 / b): b = (1.05e8 - 1e7) / (1 - 0.105).
TEST(Crossover, LiesWhereBothTakeAsLongAndTheTieAroundIt) {
  const auto found = winners({{0.1, 1e8}, {1, 1e7}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].candidate, 1U);
  EXPECT_EQ(found[0].from, span.low);
  EXPECT_EQ(found[1].candidate, 0U);
  EXPECT_NEAR(found[1].from / Bandwidth{1e8}, 1, 1e-3);
  EXPECT_NEAR(found[1].tie_from / Bandwidth{(1e8 - 1.05e7) / 0.95}, 1, 1e-3);
  EXPECT_NEAR(found[1].tie_to / Bandwidth{(1.05e8 - 1e7) / (1 - 0.105)}, 1, 1e-3);
}

TEST(Crossover, TakesFewBandwidths) {  // 17 of the span, and at most 5 for each of three ends
  int asked = 0;
  const TimesAt times = times_of({{0.1, 1e8}, {1, 1e7}});
  const auto found = fastest_by_bandwidth(span, 0.05, [&](Bandwidth bandwidth) {
    ++asked;
    return times(bandwidth);
  });
  ASSERT_TRUE(found.has_value());
  EXPECT_LE(asked, 17 + 3 * 5);
}

TEST(Crossover, AStepInTheTimesIsFoundAsWell) {  // 2 s up to 3e7, 0.5 s above, against 1 s
  const auto found = fastest_by_bandwidth(span, 0.05, [&](Bandwidth b) -> Result<std::vector<Seconds>> {
    return std::vector<Seconds>{{b.count < 3e7 ? 2.0 : 0.5}, {1.0}};
  });
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->size(), 2U);
  EXPECT_NEAR((*found)[1].from.count / 3e7, 1, 1e-3);
}

TEST(Crossover, OneCandidateThatIsFastestEverywhereIsTheOnlyEntry) {
  const auto found = winners({{0.1, 1e7}, {1, 1e8}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (FastestFrom{0, span.low, span.low, span.low}));
}

TEST(Crossover, CandidatesThatNeverDifferByMoreThanATieDoNotAlternate) {
  EXPECT_EQ(winners({{0.102, 1e7}, {0.1, 1.02e7}}).size(), 1U);
  EXPECT_EQ(winners({{0.102, 1e7}, {0.1, 1.02e7}}, 0.001).size(), 2U);
}

/// The second is 2 % shorter at high bandwidths only, the third within 5 % at low ones only.
TEST(Crossover, NamesWhoTiesWithTheFastest) {
  const auto found = winners({{0.102, 1e7}, {0.1, 1.02e7}, {0.2, 1e7}, {9, 1e9}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rivals, (std::vector<Rival>{{1, true, true, span.low}, {2, false, false, {}}}));
}

/// 1 + 3e7 / b = 1.05 (1 + 1e7 / b) at b = (3e7 - 1.05e7) / 0.05.
TEST(Crossover, SaysFromWhereOnARivalTiesToTheEnd) {
  const auto found = winners({{1, 1e7}, {1, 3e7}, {2, 1e6}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].candidate, 0U);
  ASSERT_EQ(found[1].rivals.size(), 1U);
  EXPECT_EQ(found[1].rivals[0].candidate, 1U);
  EXPECT_FALSE(found[1].rivals[0].ties_always);
  EXPECT_NEAR(found[1].rivals[0].ties_from / Bandwidth{1.95e7 / 0.05}, 1, 1e-3);
}

TEST(Crossover, ARivalThatTiesThroughoutDoesSoFromTheBeginOfTheEntry) {
  const auto found = winners({{1, 1e6}, {1.01, 1e6}});
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].rivals.size(), 1U);
  EXPECT_TRUE(found[0].rivals[0].ties_always);
  EXPECT_EQ(found[0].rivals[0].ties_from, span.low);
}

TEST(Crossover, WhoTiesDoesNotMakeOtherWinners) {
  const std::vector<FastestFrom> alone{{0, span.low, span.low, span.low}};
  std::vector<FastestFrom> tied = alone;
  tied[0].rivals = {{1, true, false, {}}};
  EXPECT_TRUE(same_winners(alone, tied));
  tied[0].candidate = 1;
  EXPECT_FALSE(same_winners(alone, tied));
}

TEST(Crossover, ThreeCandidatesFollowEachOther) {
  const auto found = winners({{0.01, 3e8}, {0.1, 1e8}, {1, 1e7}});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].candidate, 2U);
  EXPECT_EQ(found[1].candidate, 1U);
  EXPECT_EQ(found[2].candidate, 0U);
  EXPECT_NEAR(found[1].from / Bandwidth{1e8}, 1, 1e-3);
  EXPECT_NEAR(found[2].from / Bandwidth{2e8 / 0.09}, 1, 1e-3);
}

/// A tie that begins below the span begins, as far as was tried, with the span.
TEST(Crossover, ATieThatReachesBelowTheSpanBeginsWithIt) {
  const auto found = winners({{0.1, 1e7}, {0.5, 9.3e6}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].candidate, 0U);
  EXPECT_EQ(found[1].tie_from, span.low);
  EXPECT_LT(found[1].tie_to, (Bandwidth{1e7}));
}

// Both take 1 s at 1 MB/s, and the second less above.
TEST(Crossover, OfTwoThatAreEqualAtTheBottomTheFasterOneIsTheWinnerFromThereOn) {
  const auto found = winners({{0.9, 1e5}, {0.5, 5e5}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].candidate, 1U);
  EXPECT_EQ(found[1].from, span.low);
}

TEST(Crossover, ACandidateOfInfiniteTimeNeverWins) {
  const double never = std::numeric_limits<double>::infinity();
  const auto found = winners({{never, 1}, {1, 1e7}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].candidate, 1U);
}

TEST(Crossover, AnErrorOfATimeIsReturned) {
  const auto found = fastest_by_bandwidth(span, 0.02, [](Bandwidth) -> Result<std::vector<Seconds>> {
    return refuse("link", "cannot be built", "try another");
  });
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().where, "link");
}

}  // namespace
}  // namespace netmodels
