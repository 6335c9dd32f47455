// Longest paths by hand: capacity that changes on the way, chains of messages, and what is refused.
#include "netmodels/path.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "tests/netmodels/star.hpp"

namespace netmodels {
namespace {

using namespace literals;

/// Three ranks on a star of 100 MB/s and 2 ms end to end.
class Path : public ::testing::Test {
 protected:
  double seconds(const Schedule& schedule) {
    const auto evaluated = RoutedSchedule(schedule, star_.routes()).evaluate(state_);
    EXPECT_TRUE(evaluated.has_value()) << evaluated.error().text();
    return evaluated->duration.count;
  }
  std::string refusal(const Schedule& schedule) {
    const auto evaluated = RoutedSchedule(schedule, star_.routes()).evaluate(state_);
    EXPECT_FALSE(evaluated.has_value());
    return evaluated ? "" : evaluated.error().text();
  }
  static Schedule rounds(std::vector<Round> list) { return {3, {{std::move(list), 1}}}; }

  testing::Star star_{3, {2_ms, {100e6}}};
  NetworkState state_ = star_.state();
};

constexpr LinkId kUpOfRank0 = 0;
constexpr LinkId kUpOfRank1 = 2;
constexpr LinkId kDownOfRank1 = 3;

TEST_F(Path, OneMessageTakesLatencyAndTransfer) {
  EXPECT_NEAR(seconds(rounds({{{0, 1, 10_MB}}})), 0.102, 1e-15);
}

TEST_F(Path, MessagesReceivedAheadFollowEachOtherWithoutAnotherLatency) {  // 2 ms, then three of 100 ms
  const Round round{{0, 1, 10_MB, {}, true}};
  EXPECT_NEAR(seconds({3, {{{round}, 3}}}), 0.302, 1e-15);
}

TEST_F(Path, AMessageReceivedAheadDoesNotWaitForItsReceiver) {  // which sends until 0.302
  EXPECT_NEAR(seconds(rounds({{{0, 2, 30_MB}}, {{1, 0, 50_MB, {}, true}}})), 0.502, 1e-15);
}

TEST_F(Path, AReceiverPicksUpAMessageReceivedAheadInItsTurn) {  // 2 -> 0 begins at 0.302, not at 0.202
  EXPECT_NEAR(seconds(rounds({{{2, 1, 30_MB}}, {{0, 2, 20_MB, {}, true}}, {{2, 0, 10_MB}}})), 0.404, 1e-15);
}

TEST_F(Path, AScheduleWithoutMessagesIsFree) { EXPECT_EQ(seconds({3, {}}), 0); }

TEST_F(Path, ARankWaitsForItsEarlierRoundOnly) {  // 1 -> 2 waits for 0 -> 1, 2 -> 0 then for 1 -> 2
  EXPECT_NEAR(seconds(rounds({{{0, 1, 10_MB}}, {{1, 2, 20_MB}}, {{2, 0, 10_MB}}})), 0.102 + 0.202 + 0.102,
              1e-15);
}

TEST_F(Path, MessagesOfDifferentRanksRunSideBySide) {
  EXPECT_NEAR(seconds(rounds({{{0, 1, 10_MB}, {1, 0, 30_MB}}})), 0.302, 1e-15);
}

TEST_F(Path, ThePaceIsThatOfTheNarrowestLinkOnTheWay) {
  state_.links[kDownOfRank1].bandwidth = {25e6};
  EXPECT_NEAR(seconds(rounds({{{0, 1, 10_MB}}})), 0.402, 1e-15);
}

TEST_F(Path, LatenciesOfAllLinksOnTheWayAddUp) {
  state_.links[kUpOfRank0].latency = 7_ms;
  EXPECT_NEAR(seconds(rounds({{{0, 1, 10_MB}}})), 0.108, 1e-15);
}

TEST_F(Path, CapacityThatFallsTwiceIsFollowed) {  // 2 ms; 5 MB until 52 ms; 2.5 MB at half until 102 ms; 2.5
                                                  // MB at a tenth
  const std::vector<LinkChange> changes{{{0.052}, kUpOfRank0, {1_ms, {50e6}}},
                                        {{0.102}, kUpOfRank0, {1_ms, {10e6}}}};
  state_.upcoming = changes;
  EXPECT_NEAR(seconds(rounds({{{0, 1, 10_MB}}})), 0.102 + 0.25, 1e-14);
}

TEST_F(
    Path,
    CapacityThatRisesBeyondTheOtherLinkStopsThere) {  // 5 MB at 50 MB/s until 102 ms, then 5 MB at 100 MB/s
  state_.links[kUpOfRank0].bandwidth = {50e6};
  const std::vector<LinkChange> changes{{{0.102}, kUpOfRank0, {1_ms, {400e6}}}};
  state_.upcoming = changes;
  EXPECT_NEAR(seconds(rounds({{{0, 1, 10_MB}}})), 0.152, 1e-14);
}

TEST_F(
    Path,
    AChangeOfLatencyReachesTheNextMessageOnly) {  // 102 ms, then 11 ms (one link of two at 10 ms) and 100 ms
  const std::vector<LinkChange> changes{{{0.050}, kUpOfRank1, {10_ms, {100e6}}}};
  state_.upcoming = changes;
  EXPECT_NEAR(seconds(rounds({{{0, 1, 10_MB}}, {{1, 2, 10_MB}}})), 0.102 + 0.111, 1e-14);
}

TEST_F(Path, TheSameChangesLaterInTrainingCostTheSame) {
  const Schedule one = rounds({{{0, 1, 10_MB}}});
  const std::vector<LinkChange> early{{{0.052}, kUpOfRank0, {1_ms, {50e6}}}};
  state_.upcoming = early;
  const double at_once = seconds(one);
  state_.now = {1048576};  // a power of two: the shift itself rounds to 2^-32 s
  const std::vector<LinkChange> late{{{1048576 + 0.052}, kUpOfRank0, {1_ms, {50e6}}}};
  state_.upcoming = late;
  EXPECT_NEAR(seconds(one), at_once, 1e-9);
}

TEST_F(Path, APriceIsReusableWhileNothingChangesBeforeTheEnd) {
  const RoutedSchedule one(rounds({{{0, 1, 10_MB}}}), star_.routes());
  const std::vector<LinkChange> behind{{{0.1020001}, kUpOfRank0, {1_ms, {50e6}}}};
  state_.upcoming = behind;
  EXPECT_TRUE(one.evaluate(state_)->reusable);
  const std::vector<LinkChange> inside{{{0.101}, kUpOfRank0, {1_ms, {50e6}}}};
  state_.upcoming = inside;
  EXPECT_FALSE(one.evaluate(state_)->reusable);
}

TEST_F(Path, MessagesThatFollowEachOtherOnALinkDoNotMeet) {
  EXPECT_NEAR(seconds(rounds({{{0, 1, 10_MB}}, {{0, 2, 10_MB}}})), 0.204, 1e-15);
}

TEST_F(Path, TwoMessagesToOneRankAreRefused) {
  EXPECT_EQ(refusal(rounds({{{0, 2, 10_MB}, {1, 2, 10_MB}}})),
            "messages share a link on the path from rank 1 to rank 2; the path evaluator supports one flow "
            "per link at a time; use `simgrid` or `auto`");
}

TEST_F(Path, AMessageAtHalfRateTakesTwiceItsTimeWhereverItIs) {
  EXPECT_NEAR(seconds(rounds({{{0, 1, 10_MB, {}, false, true}}})), 0.202, 1e-15);
}

TEST_F(Path, TwoMessagesAtHalfRateShareALink) {
  EXPECT_NEAR(seconds(rounds({{{0, 2, 10_MB, {}, false, true}, {1, 2, 10_MB, {}, false, true}}})), 0.202,
              1e-15);
}

TEST_F(Path, AMessageAtHalfRateLeavesNoRoomForOneAtTheFullRate) {
  EXPECT_NE(refusal(rounds({{{0, 2, 10_MB, {}, false, true}, {1, 2, 10_MB}}})).find("messages share a link"),
            std::string::npos);
}

TEST_F(Path, StreamsDoNotWaitForEachOther) {  // rank 1 passes on in the second stream what it has at once
  Schedule schedule = rounds({{{0, 1, 10_MB, {}, false, true}}, {{3 + 1, 3 + 2, 10_MB, {}, false, true}}});
  schedule.streams = 2;
  EXPECT_NEAR(seconds(schedule), 0.202, 1e-15);
}

TEST_F(Path, StreamsAtTheFullRateLeaveTheirRankInTheOrderOfTheRounds) {  // 2 ms, then 100 ms and 200 ms
  Schedule schedule =
      rounds({{{0, 1, 10_MB, {}, true}}, {{3 + 0, 3 + 2, 20_MB, {}, true}}, {{4, 3, 1_MB, {}, true}}});
  schedule.streams = 2;
  EXPECT_NEAR(seconds(schedule), 0.302, 1e-15);
  std::swap(schedule.phases[0].rounds[0], schedule.phases[0].rounds[1]);
  EXPECT_NEAR(seconds(schedule), 0.302, 1e-15);
}

TEST_F(Path, AStreamGoesOnWhileTheOtherWaits) {  // the answer to the first 10 MB leaves while others arrive
  Schedule schedule =
      rounds({{{0, 1, 10_MB, {}, true}}, {{3, 4, 50_MB, {}, true}}, {{1, 0, 30_MB, {}, true}}});
  schedule.streams = 2;
  EXPECT_NEAR(seconds(schedule), 0.602, 1e-15);
}

TEST_F(Path, ANoticeSharesNoLink) {  // from 1 to 2, while 2 receives from 0
  EXPECT_NEAR(seconds(rounds({{{0, 2, 10_MB, {}, true}}, {{1, 2, 0_B, {}, true}}})), 0.102, 1e-15);
}

TEST_F(Path, ANoticeLeavesAfterWhatItsRankSends) {  // 102 ms, then 1 MB after the latency of 2 ms
  EXPECT_NEAR(seconds(rounds({{{0, 2, 10_MB, {}, true}}, {{0, 1, 0_B, {}, true}}, {{1, 0, 1_MB, {}, true}}})),
              0.102 + 0.012, 1e-15);
}

TEST_F(Path, BackgroundTrafficIsRefused) {
  state_.background = {{0, 2}};
  EXPECT_EQ(refusal(rounds({{{0, 1, 10_MB}}})),
            "background traffic shares the links; use `simgrid` or `auto`");
}

TEST_F(Path, BackgroundTrafficThatBeginsInFlightIsRefused) {
  const std::vector<BackgroundChange> begins{{{0.1}, {{0, 2}}}};
  state_.upcoming_background = begins;
  EXPECT_EQ(refusal(rounds({{{0, 1, 10_MB}}})),
            "background traffic begins before the operation ends; use `simgrid` or `auto`");
}

TEST_F(Path, BackgroundTrafficThatBeginsAfterTheEndIsNoMatter) {
  const std::vector<BackgroundChange> begins{{{0.2}, {{0, 2}}}};
  state_.upcoming_background = begins;
  EXPECT_NEAR(seconds(rounds({{{0, 1, 10_MB}}})), 0.102, 1e-15);
}

}  // namespace
}  // namespace netmodels
