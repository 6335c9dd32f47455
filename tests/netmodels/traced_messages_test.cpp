// Messages of traced steps: which send belongs to which receive, and what cannot be sent.
#include "netmodels/traced_messages.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

TracedOperation end_of_message(bool received, std::int32_t peer, double bytes = 8,
                               std::vector<std::uint32_t> after = {}) {
  TracedCollective collective{.kind = CollectiveKind::broadcast, .size = Bytes{bytes}};
  collective.message = TracedMessage{received, peer};
  return {"m", StepStream::communication, {}, std::move(after), collective};
}

TracedOperation send(std::int32_t peer, double bytes = 8) { return end_of_message(false, peer, bytes); }
TracedOperation receive(std::int32_t peer, double bytes = 8) { return end_of_message(true, peer, bytes); }

std::vector<std::string> problems_of(std::vector<TracedOperation> operations, std::uint32_t ranks = 4) {
  std::vector<std::string> texts;
  for (const MessageProblem& one : match_messages({std::move(operations)}, {ranks, 1}).problems)
    texts.push_back(std::to_string(one.operation) + ": " + one.what);
  return texts;
}

TEST(TracedMessages, TheFirstSendOverADistanceBelongsToTheFirstReceive) {
  const TracedStep step{{send(1), receive(1), send(1), send(-1), receive(-1), receive(-1)}};
  EXPECT_EQ(match_messages(step, {4, 1}).other, (std::vector<std::uint32_t>{4, 3, 5, 1, 0, 2}));
  EXPECT_TRUE(match_messages(step, {4, 1}).problems.empty());
}

TEST(TracedMessages, DistancesGoAroundTheGroup) {
  EXPECT_EQ(distance_of({false, 1}, 4), 1);
  EXPECT_EQ(distance_of({true, 1}, 4), 3);
  EXPECT_EQ(distance_of({true, -3}, 4), 3);
  EXPECT_TRUE(problems_of({send(1), receive(1)}, 2).empty());  // each other
  EXPECT_TRUE(problems_of({send(3), receive(1)}, 4).empty());
}

TEST(TracedMessages, WhatCannotBeSentIsAProblem) {
  EXPECT_EQ(problems_of({send(1), receive(1)}),
            (std::vector<std::string>{
                "0: `send to +1` has no other end: all ranks do the same, and none has `recv from -1`",
                "1: `recv from +1` has no other end: all ranks do the same, and none has `send to -1`"}));
  EXPECT_EQ(problems_of({send(4), receive(-4)}).front(),
            "0: `send to +4` in groups of 4 ranks is a message of a rank to itself");
  EXPECT_EQ(problems_of({send(5), receive(-5)}).front(),
            "0: `send to +5` in groups of 4 ranks is a message beyond the group");
  EXPECT_EQ(problems_of({send(1, 8), receive(-1, 9)}).front(),
            "1: `recv from -1` of 9 bytes, and its other end in row 0 has 8");
}

TEST(TracedMessages, NobodyReceivesBeforeAllHaveSent) {
  TracedOperation computing{"c", StepStream::compute, Seconds{1}, {0}};
  EXPECT_EQ(
      problems_of({receive(-1), computing, send(1)}).front(),
      "1: the row waits for `recv from -1` in row 0, and all ranks have its other end only later, in row 2");
  EXPECT_EQ(
      problems_of({receive(-1), end_of_message(false, 1, 8, {0})}).front(),
      "1: the row waits for `recv from -1` in row 0, and all ranks have its other end only later, in row 1");
  computing.after = {2};
  EXPECT_TRUE(problems_of({receive(-1), send(1), receive(-1), send(1), computing}).size() == 0);
}

TracedOperation in_queue(std::uint8_t queue, TracedOperation operation) {
  operation.queue = queue;
  return operation;
}

TracedOperation sum_of(double bytes) {
  const TracedCollective collective{.kind = CollectiveKind::all_reduce, .size = Bytes{bytes}};
  return {"s", StepStream::communication, {}, {}, collective};
}

TEST(TracedMessages, ACollectiveDoesNotOvertakeAnEndInItsQueue) {
  EXPECT_EQ(problems_of({send(1), sum_of(8), receive(-1)}),
            (std::vector<std::string>{
                "1: the row follows `send to +1` of row 0 in its queue, and all ranks have the "
                "other end only later, in row 2"}));
  EXPECT_TRUE(problems_of({send(1), in_queue(1, sum_of(8)), receive(-1)}).empty());
  EXPECT_TRUE(problems_of({send(1), receive(-1), sum_of(8)}).empty());
}

TEST(TracedMessages, BothQueuesOfAMessageWaitForIt) {
  const TracedStep step{{send(1), in_queue(1, receive(-1)), sum_of(8)}};
  const Collective& row = collective_row("ring_allreduce");
  const StepGraph graph = traced_graph(step, {4, 1}, {.all_reduce = &row});
  ASSERT_EQ(graph.operations.size(), 2U);
  EXPECT_EQ(graph.operations[1].after, (std::vector<std::uint32_t>{0}));
}

TEST(TracedMessages, ARankAloneSendsNothing) {
  const TracedStep step{{send(1), receive(-1)}};
  EXPECT_TRUE(match_messages(step, {1, 1}).problems.empty());
  EXPECT_TRUE(traced_graph(step, {1, 1}, {}).collectives.empty());
}

TEST(TracedMessages, AMessageStartsWhenBothEndsAreReady) {
  const TracedOperation first{"a", StepStream::compute, Seconds{1}, {}};
  const TracedOperation second{"b", StepStream::copy, Seconds{3}, {}};
  const TracedStep step{{first, second, end_of_message(true, -1, 8, {1}), end_of_message(false, 1, 8, {0})}};
  const StepGraph graph = traced_graph(step, {4, 1}, {});
  ASSERT_EQ(graph.collectives.size(), 1U);
  const StepOperation& message = graph.operations[graph.collectives.front()];
  EXPECT_EQ(message.row->name, "shift in groups");
  EXPECT_EQ(message.after, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(message.operation.shift, 1);
}

}  // namespace
}  // namespace netmodels
