// Repeated turns take the time of turns that are followed one by one: on links that stay and on links that
// change.
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "netmodels/path.hpp"
#include "tests/netmodels/star.hpp"

namespace netmodels {
namespace {

using namespace literals;

/// The same messages without repetitions, which are followed one by one.
Schedule unrolled(const Schedule& schedule) {
  Schedule long_form{schedule.ranks, {}, schedule.streams};
  for (const Phase& phase : schedule.phases) {
    for (std::uint32_t turn = 0; turn < phase.repeat; ++turn) long_form.phases.push_back({phase.rounds, 1});
  }
  return long_form;
}

/// A draw of schedules and networks. `exact`: small multiples of powers of two, so that no sum is rounded.
struct Draw {
  std::mt19937_64 random;
  bool exact;
  bool halves = false;  ///< whether the schedule that is drawn has messages at half rate

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); }
  double value() { return exact ? 1 + below(8) : std::uniform_real_distribution<>(0.5, 8)(random); }
  LinkState link() {
    const double halved = std::exp2(below(3));
    return {{value() / 16}, {exact ? halved : halved * value()}};
  }
  /// Each rank of a stream sends to the one so many places on, or not.
  /// @param first  of the stream
  Round round(std::uint32_t ranks, std::uint32_t first) {
    Round messages;
    const std::uint32_t distance = 1 + below(ranks - 1);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      if (below(4) == 0) continue;
      Transfer message{first + rank, first + (rank + distance) % ranks, {value()}};
      message.ahead = below(4) == 0;
      message.half_rate = halves && below(2) == 0;
      if (below(6) == 0) message.buffered = {value()};
      messages.push_back(message);
    }
    return messages;
  }
  Schedule schedule(std::uint32_t ranks) {
    Schedule drawn{ranks, {}, 1 + below(2)};
    halves = below(2) == 0;
    for (std::uint32_t phases = 1 + below(3); phases > 0; --phases) {
      Phase phase{{}, below(3) == 0 ? 1 + below(8) : 60 + below(60)};
      for (std::uint32_t rounds = 1 + below(3); rounds > 0; --rounds)
        phase.rounds.push_back(round(ranks, below(drawn.streams) * ranks));
      drawn.phases.push_back(phase);
    }
    return drawn;
  }
  /// Some links change at each of some moments, in one of eight all are down, and all are up in the end.
  std::vector<LinkChange> changes(std::uint32_t links) {
    std::vector<LinkChange> drawn;
    Seconds at;
    for (std::uint32_t moments = below(2) == 0 ? 0 : 1 + below(below(4) == 0 ? 60 : 5); moments > 0;
         --moments) {
      at += Seconds{exact ? 0.25 * below(64) : 4 * value()};
      const bool down = below(8) == 0;
      const std::uint32_t count = down ? links : 1 + below(links);
      for (std::uint32_t i = 0; i < count; ++i) {
        drawn.push_back({at, down ? i : below(links), down ? LinkState{{value() / 16}, {}} : link()});
      }
    }
    for (LinkId id = 0; id < links && !drawn.empty(); ++id) drawn.push_back({at + 4_s, id, link()});
    return drawn;
  }
};

/// @param tolerance  relative
void expect_same(const Schedule& schedule, const NetworkState& state, double tolerance) {
  const testing::Star star{schedule.ranks, {}};
  const RoutedSchedule repeated(schedule, star.routes());
  const RoutedSchedule one_by_one(unrolled(schedule), star.routes());
  const auto found = repeated.evaluate(state);
  const auto expected = one_by_one.evaluate(state);
  ASSERT_EQ(found.has_value(), expected.has_value());
  EXPECT_EQ(repeated.messages_meet(state), one_by_one.messages_meet(state));
  const double alone = one_by_one.without_sharing(state).count;
  EXPECT_NEAR(repeated.without_sharing(state).count, alone, tolerance * alone);
  if (!expected) {
    EXPECT_EQ(found.error().text(), expected.error().text());
    return;
  }
  EXPECT_NEAR(found->duration.count, expected->duration.count, tolerance * expected->duration.count);
  EXPECT_EQ(found->reusable, expected->reusable);
}

void expect_same_for_draws(bool exact, double tolerance) {
  Draw draw{std::mt19937_64(7), exact};
  for (int trial = 0; trial < 1000 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const std::uint32_t ranks = 2 + draw.below(7);
    const Schedule schedule = draw.schedule(ranks);
    const bool even = draw.below(2) == 0;
    NetworkState state;
    state.links.assign(2UL * ranks, draw.link());
    for (LinkState& link : state.links) link = even ? link : draw.link();
    const std::vector<LinkChange> changes = draw.changes(2 * ranks);
    state.upcoming = changes;
    expect_same(schedule, state, tolerance);
  }
}

TEST(PathTurns, WithoutRoundingRepeatedTurnsTakeTheSameTimeToTheBit) { expect_same_for_draws(true, 0); }

TEST(PathTurns, RepeatedTurnsTakeTheSameTimeButForRounding) { expect_same_for_draws(false, 1e-12); }

/// Every rank sends 1 byte to the next, over 1 byte/s, with 0.25 s on each of two links: 1.5 s a turn.
class Ring : public ::testing::Test {
 protected:
  explicit Ring() = default;
  static Schedule turns(std::uint32_t count) {
    return {4, {{{{{0, 1, 1_B}, {1, 2, 1_B}, {2, 3, 1_B}, {3, 0, 1_B}}}, count}}};
  }
  [[nodiscard]] double seconds(const Schedule& schedule) const {
    return RoutedSchedule(schedule, star_.routes()).evaluate(state_)->duration.count;
  }
  /// @returns the changes that give all links this bandwidth from `at` on
  [[nodiscard]] std::vector<LinkChange> all_links(Seconds at, Bandwidth bandwidth) const {
    std::vector<LinkChange> changes;
    for (LinkId id = 0; id < state_.links.size(); ++id) changes.push_back({at, id, {0.25_s, bandwidth}});
    return changes;
  }

  testing::Star star_{4, {0.5_s, {1}}};
  NetworkState state_ = star_.state();
};

constexpr std::uint32_t kTooManyToFollow = 4'000'000'000;

TEST_F(Ring, TurnsThatOnlyShiftTheClocksAreNotFollowed) {  // one by one they would take minutes
  EXPECT_EQ(seconds(turns(kTooManyToFollow)), 1.5 * kTooManyToFollow);
}

// 1 000 turns end at 1500; of the next, 0.5 s of latency and 0.25 bytes pass until 1500.75; 0.75 bytes
// take 1.5 s at half the bandwidth; the others take 2.5 s.
TEST_F(Ring, AChangeInTheMiddleOfATurnIsFollowed) {
  const auto changes = all_links({1500.75}, {0.5});
  state_.upcoming = changes;
  EXPECT_EQ(seconds(turns(kTooManyToFollow)), 1500.75 + 1.5 + 2.5 * (kTooManyToFollow - 1001.0));
}

TEST_F(Ring, AChangeBetweenTwoTurnsIsFollowed) {
  const auto changes = all_links({1500}, {0.5});
  state_.upcoming = changes;
  EXPECT_EQ(seconds(turns(kTooManyToFollow)), 1500 + 2.5 * (kTooManyToFollow - 1000.0));
}

// Ranks 2 and 3 are at 100.5 when 0 and 1 begin: at first both pairs take 1.5 s a turn, 0 and 1 take 2.5 s
// from 48 on.
TEST_F(Ring, AChangeThatOnlyTheRanksBehindComeToIsFollowed) {
  const std::vector<LinkChange> changes{{48_s, 0, {0.25_s, {0.5}}}};
  state_.upcoming = changes;
  const Schedule pairs{4, {{{{{2, 3, 100_B}}}, 1}, {{{{0, 1, 1_B}, {2, 3, 1_B}}}, 1000}}};
  EXPECT_EQ(seconds(pairs), 48 + 2.5 * (1000 - 32));
}

TEST_F(Ring, LinksThatAreDownForAWhileDelayAllTurnsByThat) {  // at 1500.75, a byte is a quarter through
  std::vector<LinkChange> changes = all_links({1500.75}, {});
  const auto up = all_links({1600.75}, {1});
  changes.insert(changes.end(), up.begin(), up.end());
  state_.upcoming = changes;
  EXPECT_EQ(seconds(turns(kTooManyToFollow)), 1.5 * kTooManyToFollow + 100);
}

TEST_F(Ring, LinksThatStayDownAreNeverThrough) {
  const auto changes = all_links({1500.75}, {});
  state_.upcoming = changes;
  EXPECT_EQ(seconds(turns(2000)), std::numeric_limits<double>::infinity());
}

TEST_F(Ring, NoBytesTakeNoTimeOnLinksThatStayDown) {  // two latencies
  state_.links.assign(state_.links.size(), {0.25_s, {}});
  EXPECT_EQ(seconds({4, {{{{{0, 1, 0_B}}}, 2}}}), 1);
  const auto changes = all_links({0.75}, {});
  state_.upcoming = changes;
  EXPECT_EQ(seconds({4, {{{{{0, 1, 0_B}}}, 2}}}), 1);
}

TEST_F(Ring, ChangesInEveryTurnAreFollowed) {  // 1 byte/s and half of it in turn, each for a second
  std::vector<LinkChange> changes;
  for (int second = 1; second < 5000; ++second) {
    const auto next = all_links({1.0 * second}, {second % 2 == 0 ? 1.0 : 0.5});
    changes.insert(changes.end(), next.begin(), next.end());
  }
  state_.upcoming = changes;
  EXPECT_EQ(seconds(turns(2000)), seconds(unrolled(turns(2000))));
}

TEST_F(Ring, RanksThatMoveApartKeepTheirOwnPace) {  // 1.5 s and 3.5 s a turn
  EXPECT_EQ(seconds({4, {{{{{0, 1, 1_B}, {2, 3, 3_B}}}, 1000}}}), 3500);
}

// Rank 1 is busy for 10.5 s, while 2 sends it 100 messages ahead, of 0.5 s of latency in all and 1 s each.
TEST_F(Ring, ARankThatIsBusyForLongerIsCaughtUp) {
  const Transfer ahead{2, 1, 1_B, {}, true};
  EXPECT_EQ(seconds({4, {{{{{1, 0, 10_B}}}, 1}, {{{ahead}}, 100}}}), 100.5);
}

// Ranks 0 and 1 end at 2999.5; meanwhile 2 and 3 exchange 1000 messages of 1.5 s. Then all go on together.
TEST_F(Ring, RanksThatAPhaseDoesNotNameKeepTheirTime) {
  EXPECT_EQ(seconds({4, {{{{{0, 1, 2999_B}}}, 1}, {{{{2, 3, 1_B}}}, 1000}, {{{{1, 2, 1_B}}}, 1}}}),
            2999.5 + 1.5);
}

}  // namespace
}  // namespace netmodels
