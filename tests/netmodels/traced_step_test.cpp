// Traced steps by hand: what hides what, which rows carry which collective, groups of one worker.
#include "netmodels/traced_step.hpp"

#include <map>

#include <gtest/gtest.h>

#include "netmodels/node_collectives.hpp"

namespace netmodels {
namespace {

using namespace netmodels::literals;

TracedOperation work(StepStream stream, Seconds duration, std::vector<std::uint32_t> after = {}) {
  return {"work", stream, duration, std::move(after), {}};
}

TracedOperation exchange(CollectiveKind kind, std::vector<std::uint32_t> after,
                         CollectiveReach reach = CollectiveReach::all, bool all_to_all = false) {
  return {"sent",
          StepStream::communication,
          {},
          std::move(after),
          TracedCollective{kind, all_to_all, reach, Bytes{8000}}};
}

/// Every collective takes as long.
class SameCost final : public CollectiveEvaluator {
 public:
  explicit SameCost(Seconds each) : each_(each) {}
  Result<Seconds> duration(std::size_t, Seconds) override { return each_; }

 private:
  Seconds each_;
};

const Collective* ring(std::string_view name) { return *find_collective(name); }

TracedRows rings() {
  return {ring("ring_allreduce"), ring("ring_allgather"), ring("ring_reduce_scatter"),
          ring("pipelined_broadcast")};
}

StepTimes run(const TracedStep& step, Seconds each, const StepPace& pace = {}) {
  SameCost costs(each);
  StepTimes times;
  EXPECT_TRUE(run_step(traced_graph(step, {4, 2}, rings()), pace, costs, times));
  return times;
}

/// The host launches for 2 ms; 10 ms and 5 ms of computing; a copy beside the second, an all-reduce after the
/// first; 4 ms that wait for the all-reduce.
TracedStep small_step() {
  return {{work(StepStream::host, 2_ms), work(StepStream::compute, 10_ms, {0}),
           exchange(CollectiveKind::all_reduce, {1}), work(StepStream::copy, 3_ms, {1}),
           work(StepStream::compute, 5_ms), work(StepStream::compute, 4_ms, {2})}};
}

TEST(TracedStep, WhatNothingHidesAddsUpToTheStep) {
  const StepTimes times = run(small_step(), 20_ms);  // all-reduce from 12 to 32 ms, computing until 17
  EXPECT_NEAR(times.duration.count, 0.036, 1e-12);
  EXPECT_NEAR(times.parts.exchange.count, 0.015, 1e-12);
  EXPECT_NEAR(times.parts.compute.count, 0.021, 1e-12);  // with 2 ms of the host
  EXPECT_NEAR(times.exchange_busy.count, 0.020, 1e-12);
}

TEST(TracedStep, AHiddenExchangeCostsNothing) {
  EXPECT_NEAR(run(small_step(), 5_ms).duration.count, 0.021, 1e-12);
  EXPECT_NEAR(undisturbed(small_step()).count, 0.021, 1e-12);
}

TEST(TracedStep, ASlowWorkerComputesLongerAndItsHostDoesNot) {
  const StepTimes times = run(small_step(), 0_ms, {.slowest = 2, .mean = 1.5});
  EXPECT_NEAR(times.duration.count, 0.040, 1e-12);  // 2 + 2 x 19
  EXPECT_NEAR(times.parts.wait.count, 0.0095, 1e-12);
}

TEST(TracedStep, EqualWorkersDoNotWait) {  // whose times have rounding errors where they begin late
  TracedStep step;
  for (int i = 1; i <= 30; ++i) {
    step.operations.push_back(work(StepStream::compute, Seconds{1e-4 * i / 7}));
    const auto last = static_cast<std::uint32_t>(step.operations.size() - 1);
    step.operations.push_back(exchange(CollectiveKind::all_reduce, {last}));
    step.operations.back().queue = static_cast<std::uint8_t>(i % 3);
    step.operations.push_back(work(StepStream::compute, Seconds{1e-3 / i}, {last + 1}));
  }
  EXPECT_EQ(run(step, 0.3_ms).parts.wait, Seconds{});
}

TEST(TracedStep, ACopyThatEndsLastIsPartOfTheStep) {
  const TracedStep step{{work(StepStream::compute, 1_ms), work(StepStream::copy, 6_ms, {0})}};
  EXPECT_NEAR(undisturbed(step).count, 0.007, 1e-12);
}

TEST(TracedStep, GroupsHaveTheirRows) {
  const TracedStep step{{exchange(CollectiveKind::all_gather, {}),
                         exchange(CollectiveKind::all_gather, {0}, CollectiveReach::within_node),
                         exchange(CollectiveKind::all_reduce, {1}, CollectiveReach::within_node),
                         exchange(CollectiveKind::all_reduce, {2}, CollectiveReach::between_nodes),
                         exchange(CollectiveKind::reduce_scatter, {3}, CollectiveReach::all, true)}};
  const StepGraph graph = traced_graph(step, {4, 2}, rings());
  std::vector<std::string_view> rows;
  for (const StepOperation& operation : graph.operations) rows.push_back(operation.row->name);
  EXPECT_EQ(rows, (std::vector<std::string_view>{"ring_allgather", "ring_allgather within nodes",
                                                 "ring_allreduce within nodes",
                                                 "ring_allreduce between nodes", "pairwise all-to-all"}));
  EXPECT_EQ(graph.operations[4].operation.group, 4);
}

TEST(TracedStep, BetweenNodesEachRankOfANodeSendsWhatItHolds) {
  const TracedStep step{{exchange(CollectiveKind::all_reduce, {}, CollectiveReach::between_nodes)}};
  const StepOperation sent = traced_graph(step, {4, 2}, rings()).operations.front();
  EXPECT_EQ(sent.operation.size.count, 16000);  // two ranks of 8000 B
  // on two nodes, each rank sends half of its 8000 B twice
  EXPECT_EQ(sent.row->schedule(sent.operation).bytes().count, 4 * 8000);
}

TracedOperation exchange_in(const RankGroup& group) {
  TracedOperation operation = exchange(CollectiveKind::all_reduce, {}, CollectiveReach::groups);
  operation.collective->group = group;
  return operation;
}

TEST(TracedStep, EvenlySpacedGroupsHaveTheRowsOfTheirShape) {
  // of eight ranks on two nodes: all, a node, one of each node, pairs that are two apart
  const TracedStep step{{exchange_in({0, 1, 8}), exchange_in({4, 1, 4}), exchange_in({0, 4, 2}),
                         exchange_in({1, 2, 2}), exchange_in({5, 1, 1})}};
  const StepGraph graph = traced_graph(step, {8, 4}, rings());
  std::vector<std::string_view> rows;
  for (const std::uint32_t index : graph.collectives) rows.push_back(graph.operations[index].row->name);
  EXPECT_EQ(rows,
            (std::vector<std::string_view>{"ring_allreduce", "ring_allreduce within nodes",
                                           "ring_allreduce between nodes", "ring_allreduce in groups"}));
  EXPECT_EQ(graph.operations[2].operation.size.count, 4 * 8000);
  EXPECT_EQ(graph.operations[3].operation.group, 2);
  EXPECT_EQ(graph.operations[3].operation.members, 2);
  EXPECT_EQ(graph.operations[4].work, StepWork::memory);  // a group of one
}

TEST(TracedStep, MarkedCollectivesAreTheGradients) {
  TracedStep step{{exchange(CollectiveKind::all_reduce, {}), exchange(CollectiveKind::all_reduce, {}),
                   exchange(CollectiveKind::reduce_scatter, {})}};
  EXPECT_EQ(step.gradients(), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_FALSE(step.sums_whole_gradients());
  step.marked = true;
  EXPECT_TRUE(step.gradients().empty());
  step.operations[1].collective->gradient = true;
  EXPECT_EQ(step.gradients(), std::vector<std::uint32_t>{1});
  EXPECT_TRUE(step.sums_whole_gradients());
  EXPECT_FALSE(TracedStep{}.sums_whole_gradients());
}

TEST(TracedStep, ExchangesReplaceThoseOfGradients) {
  TracedStep step = small_step();
  const BucketExchange compressed{.bucket = {},
                                  .stages = {{ring("ring_allgather"), {.ranks = 4, .size = 8_MB}}},
                                  .compress = 3_ms,
                                  .restore = 1_ms};
  const StepGraph graph = traced_graph(step, {4, 2}, rings(), {&compressed, 1});
  SameCost costs(20_ms);
  StepTimes times;
  ASSERT_TRUE(run_step(graph, {}, costs, times));
  // compressed from 12 to 15 ms, exchanged until 35, restored until 36; then 4 ms
  EXPECT_NEAR(times.duration.count, 0.040, 1e-12);
  EXPECT_NEAR(times.parts.exchange.count, 0.018, 1e-12);  // 5 ms of computing hide compressing and 2 ms
  EXPECT_NEAR(times.parts.compress.count, 0.001, 1e-12);
  EXPECT_NEAR(times.parts.compute.count, 0.021, 1e-12);
}

TEST(TracedStep, OneWorkerExchangesNothing) {
  EXPECT_TRUE(traced_graph(small_step(), {1, 1}, {}).collectives.empty());
  const TracedStep within{{exchange(CollectiveKind::all_gather, {}, CollectiveReach::within_node)}};
  EXPECT_TRUE(traced_graph(within, {4, 1}, rings()).collectives.empty());
  const TracedStep between{{exchange(CollectiveKind::all_reduce, {}, CollectiveReach::between_nodes)}};
  EXPECT_TRUE(traced_graph(between, {4, 4}, rings()).collectives.empty());
}

TEST(TracedStep, AllToAllSendsEachOtherRankItsPart) {
  const LinkState link{1_us, Bandwidth{1e9}};  // three rounds of 2000 bytes
  EXPECT_NEAR(exchange_of_all.closed({.ranks = 4, .size = Bytes{8000}, .group = 4}, link).count, 3 * 3e-6,
              1e-15);
}

TEST(TracedStep, OnlySumsCountAsGradients) {
  const TracedStep step{{exchange(CollectiveKind::all_gather, {}), exchange(CollectiveKind::all_reduce, {}),
                         exchange(CollectiveKind::reduce_scatter, {}),
                         exchange(CollectiveKind::reduce_scatter, {}, CollectiveReach::all, true),
                         exchange(CollectiveKind::all_reduce, {}, CollectiveReach::between_nodes)}};
  EXPECT_EQ(summed_bytes(step).count, 16000);
}

}  // namespace
}  // namespace netmodels
