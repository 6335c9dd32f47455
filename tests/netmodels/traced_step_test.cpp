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
  EXPECT_TRUE(run_step(traced_graph(step, 4, 2, rings()), pace, costs, times));
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
  const StepGraph graph = traced_graph(step, 4, 2, rings());
  std::vector<std::string_view> rows;
  for (const StepOperation& operation : graph.operations) rows.push_back(operation.row->name);
  EXPECT_EQ(rows, (std::vector<std::string_view>{
                      "ring_allgather", "ring_allgather within nodes", "ring_reduce_scatter within nodes",
                      "ring_allgather within nodes", "ring_allreduce between nodes", "pairwise all-to-all"}));
  EXPECT_EQ(graph.operations[4].after,
            std::vector<std::uint32_t>{3});  // behind both halves of the one within
  EXPECT_EQ(graph.operations[5].operation.group, 4);
}

TEST(TracedStep, BetweenNodesEachRankOfANodeSendsWhatItHolds) {
  const TracedStep step{{exchange(CollectiveKind::all_reduce, {}, CollectiveReach::between_nodes)}};
  const StepOperation sent = traced_graph(step, 4, 2, rings()).operations.front();
  EXPECT_EQ(sent.operation.size.count, 16000);  // two ranks of 8000 B
  // on two nodes, each rank sends half of its 8000 B twice
  EXPECT_EQ(sent.row->schedule(sent.operation).bytes().count, 4 * 8000);
}

TEST(TracedStep, OneWorkerExchangesNothing) {
  EXPECT_TRUE(traced_graph(small_step(), 1, 1, {}).collectives.empty());
  const TracedStep within{{exchange(CollectiveKind::all_gather, {}, CollectiveReach::within_node)}};
  EXPECT_TRUE(traced_graph(within, 4, 1, rings()).collectives.empty());
  const TracedStep between{{exchange(CollectiveKind::all_reduce, {}, CollectiveReach::between_nodes)}};
  EXPECT_TRUE(traced_graph(between, 4, 4, rings()).collectives.empty());
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
