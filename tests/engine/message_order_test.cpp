// Which messages may start when: rounds, ranks that run ahead, and repeated phases.
#include "sim/engine/simgrid/message_order.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "netmodels/collective.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using netmodels::Schedule;
using Ids = std::vector<std::uint32_t>;

/// The messages that may start when these end, in this order.
Ids after(MessageOrder& order, const Ids& ended) {
  Ids ready;
  for (const std::uint32_t id : ended) order.end(id, 0, ready);
  return ready;
}

TEST(MessageOrder, AChainStartsItsMessagesOneByOne) {
  MessageOrder order(Schedule{3, {{{{{0, 1, 1_MB}}, {{1, 2, 1_MB}}}, 1}}});
  EXPECT_EQ(order.begin(), Ids{0});
  EXPECT_EQ(after(order, {0}), Ids{1});
  EXPECT_EQ(after(order, {1}), Ids{});
  EXPECT_EQ(order.unfinished(), 0U);
}

TEST(MessageOrder, AMessageWaitsForBothItsEnds) {  // 2 -> 1 of round two needs 0 -> 1 and 2 -> 3 of round one
  MessageOrder order(Schedule{4, {{{{{0, 1, 1_MB}, {2, 3, 1_MB}}, {{2, 1, 1_MB}}}, 1}}});
  EXPECT_EQ(order.begin(), (Ids{0, 1}));
  EXPECT_EQ(after(order, {1}), Ids{});
  EXPECT_EQ(after(order, {0}), Ids{2});
}

TEST(MessageOrder, RanksThatARoundDoesNotNameRunAhead) {  // 2 -> 3 is in round two and waits for no message
  MessageOrder order(Schedule{4, {{{{{0, 1, 1_MB}}, {{2, 3, 1_MB}}}, 1}}});
  EXPECT_EQ(order.begin(), (Ids{0, 1}));
}

TEST(MessageOrder, AllMessagesOfARankInARoundMustEndBeforeItsNext) {
  MessageOrder order(Schedule{3, {{{{{1, 0, 1_MB}, {2, 0, 1_MB}}, {{0, 1, 1_MB}, {0, 2, 1_MB}}}, 1}}});
  EXPECT_EQ(order.begin(), (Ids{0, 1}));
  EXPECT_EQ(after(order, {0}), Ids{});
  EXPECT_EQ(after(order, {1}), (Ids{2, 3}));
}

TEST(MessageOrder, RepeatedRoundsFollowEachOther) {
  MessageOrder order(Schedule{2, {{{{{0, 1, 1_MB}}}, 3}}});
  EXPECT_EQ(order.unfinished(), 3U);
  EXPECT_EQ(order.begin(), Ids{0});
  EXPECT_EQ(after(order, {0}), Ids{1});
  EXPECT_EQ(after(order, {1}), Ids{2});
}

TEST(MessageOrder, ASenderMayLeaveAMessageBeforeItHasArrived) {  // 0 -> 1 buffered, 0 -> 2, 1 -> 2
  MessageOrder order(Schedule{3, {{{{{0, 1, 1_MB, {1e3}}}, {{0, 2, 1_MB}}, {{1, 2, 1_MB}}}, 1}}});
  EXPECT_EQ(order.begin(), Ids{0});
  EXPECT_TRUE(order.message(0).leaves_early());
  Ids ready;
  order.leave(0, ready);
  EXPECT_EQ(ready, Ids{1});
  EXPECT_FALSE(order.message(0).leaves_early());
  EXPECT_EQ(after(order, {0}), Ids{});
  EXPECT_EQ(after(order, {1}), Ids{2});
}

TEST(MessageOrder, AMessageReceivedAheadWaitsForItsSenderOnly) {  // 2 -> 1 while 0 -> 1 is under way
  MessageOrder order(
      Schedule{3, {{{{{0, 1, 1_MB, {}, true}}, {{2, 1, 1_MB, {}, true}}, {{1, 0, 1_MB, {}, true}}}, 1}}});
  EXPECT_EQ(order.begin(), (Ids{0, 1}));
  EXPECT_EQ(after(order, {1}), Ids{});  // it lies there until 1 has received the one before
  EXPECT_EQ(after(order, {0}), Ids{2});
  EXPECT_EQ(after(order, {2}), Ids{});
  EXPECT_EQ(order.unfinished(), 0U);
}

TEST(MessageOrder, ASenderOfMessagesReceivedAheadGoesOnWhenTheyHaveLeft) {
  MessageOrder order(Schedule{2, {{{{{0, 1, 1_MB, {}, true}}}, 2}}});
  EXPECT_EQ(order.begin(), Ids{0});
  EXPECT_TRUE(order.message(0).leaves_early());
  Ids ready;
  order.leave(0, ready);
  EXPECT_EQ(ready, Ids{1});
  EXPECT_EQ(after(order, {0}), Ids{});
  EXPECT_EQ(after(order, {1}), Ids{});
  EXPECT_EQ(order.unfinished(), 0U);
}

TEST(MessageOrder, StreamsOfARankLeaveItInTheOrderOfTheRounds) {  // 0 sends in the second, then in the first
  MessageOrder order(
      Schedule{2, {{{{{2, 3, 1_MB, {}, true}}, {{0, 1, 1_MB, {}, true}}, {{2, 3, 1_MB, {}, true}}}, 1}}, 2});
  EXPECT_EQ(order.begin(), Ids{0});
  Ids ready;
  order.leave(0, ready);
  EXPECT_EQ(ready, Ids{1});
  EXPECT_EQ(after(order, {0}), Ids{});
  EXPECT_EQ(after(order, {1}), Ids{2});
  EXPECT_EQ(after(order, {2}), Ids{});
  EXPECT_EQ(order.unfinished(), 0U);
}

TEST(MessageOrder, AMessageAtTheHeadOfItsRankWaitsForItsStream) {  // 0 -> 1 of stream two after 1 -> 0 there
  MessageOrder order(
      Schedule{2, {{{{{3, 2, 1_MB, {}, true}}, {{2, 3, 1_MB, {}, true}}, {{0, 1, 1_MB, {}, true}}}, 1}}, 2});
  EXPECT_EQ(order.begin(), Ids{0});  // the first stream is behind the second in the line of 0
  EXPECT_EQ(after(order, {0}), Ids{1});
  EXPECT_EQ(after(order, {1}), Ids{2});
}

TEST(MessageOrder, StreamsThatHalveLinksRunSideBySide) {
  MessageOrder order(Schedule{2, {{{{{0, 1, 1_MB, {}, true, true}}, {{2, 3, 1_MB, {}, true, true}}}, 1}}, 2});
  EXPECT_EQ(order.begin(), (Ids{0, 1}));
}

TEST(MessageOrder, WithoutMessagesNothingIsUnfinished) {
  MessageOrder order(Schedule{1, {}});
  EXPECT_EQ(order.begin(), Ids{});
  EXPECT_EQ(order.unfinished(), 0U);
}

TEST(MessageOrder, EveryScheduleEndsWhicheverMessageIsFastest) {  // the oldest or the newest first
  for (const netmodels::Collective& row : netmodels::collectives()) {
    if (row.schedule == nullptr) continue;
    const Schedule schedule = row.schedule({12, 12_MB, 3, 4, {}});
    for (const bool newest : {false, true}) {
      MessageOrder order(schedule);
      Ids live = order.begin();
      std::vector<bool> started(schedule.messages(), false);
      while (!live.empty()) {
        const auto next = newest ? std::ranges::max_element(live) : std::ranges::min_element(live);
        const std::uint32_t id = *next;
        live.erase(next);
        EXPECT_FALSE(started[id]) << row.name;
        started[id] = true;
        order.end(id, 0, live);
      }
      EXPECT_EQ(order.unfinished(), 0U) << row.name;
    }
  }
}

}  // namespace
}  // namespace sim::engine
