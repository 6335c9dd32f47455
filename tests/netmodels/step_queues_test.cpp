// Steps with several queues, by hand: who shares links, who waits, and what is exposed.
#include "netmodels/step_queues.hpp"

#include <map>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

using namespace netmodels::literals;

/// Every collective takes 10 ms alone; those of the first operations share no links.
class TenEach final : public CollectiveEvaluator {
 public:
  explicit TenEach(std::size_t apart = 0) : apart_(apart) {}
  Result<Seconds> duration(std::size_t operation, Seconds start) override {
    asked[operation] = start;
    return 10_ms;
  }
  [[nodiscard]] bool share_links(std::size_t one, std::size_t other) const override {
    return one >= apart_ && other >= apart_;
  }
  std::map<std::size_t, Seconds> asked;

 private:
  std::size_t apart_;
};

StepOperation exchange(std::uint8_t queue, std::vector<std::uint32_t> after = {}) {
  return {.work = StepWork::collective,
          .stream = StepStream::communication,
          .after = std::move(after),
          .queue = queue};
}

StepOperation compute(Seconds duration, std::vector<std::uint32_t> after = {}) {
  return {.duration = duration, .after = std::move(after)};
}

StepGraph graph_of(std::vector<StepOperation> operations) {
  StepGraph graph;
  graph.traced = true;
  for (StepOperation& operation : operations) graph.add(std::move(operation));
  return graph;
}

TEST(StepQueues, TwoQueuesThatShareLinksTakeTwiceAsLong) {
  TenEach evaluator;
  StepTimes times;
  ASSERT_TRUE(run_step(graph_of({exchange(0), exchange(1)}), {}, evaluator, times));
  EXPECT_NEAR(times.operations[0].end.count, 0.020, 1e-12);
  EXPECT_NEAR(times.operations[1].end.count, 0.020, 1e-12);
  EXPECT_NEAR(times.duration.count, 0.020, 1e-12);
  EXPECT_NEAR(times.parts.exchange.count, 0.020, 1e-12);  // each moment counts once
}

TEST(StepQueues, OneQueueRunsInOrder) {
  TenEach evaluator;
  StepTimes times;
  ASSERT_TRUE(run_step(graph_of({exchange(1), exchange(1)}), {}, evaluator, times));
  EXPECT_NEAR(times.operations[0].end.count, 0.010, 1e-12);
  EXPECT_NEAR(evaluator.asked[1].count, 0.010, 1e-12);
  EXPECT_NEAR(times.duration.count, 0.020, 1e-12);
}

TEST(StepQueues, QueuesOnOtherLinksRunAtFullRate) {
  TenEach evaluator(1);
  StepTimes times;
  ASSERT_TRUE(run_step(graph_of({exchange(0), exchange(1)}), {}, evaluator, times));
  EXPECT_NEAR(times.duration.count, 0.010, 1e-12);
}

TEST(StepQueues, ACollectiveThatJoinsLaterSlowsTheRest) {
  // The first runs alone for 4 ms, then both share: its 6 ms take 12, and the last 4 ms of the second are
  // alone.
  TenEach evaluator;
  StepTimes times;
  const StepGraph graph = graph_of({compute(4_ms), exchange(0), exchange(1, {0}), compute(1_ms, {1, 2})});
  ASSERT_TRUE(run_step(graph, {}, evaluator, times));
  EXPECT_NEAR(times.operations[1].end.count, 0.016, 1e-12);
  EXPECT_NEAR(times.operations[2].end.count, 0.020, 1e-12);
  EXPECT_NEAR(times.duration.count, 0.021, 1e-12);
  EXPECT_NEAR(times.parts.compute.count, 0.005, 1e-12);
  EXPECT_NEAR(times.parts.exchange.count, 0.016, 1e-12);  // from 4 to 20 ms
  EXPECT_NEAR(times.exchange_busy.count, 0.020, 1e-12);   // one or both, from the start on
}

TEST(StepQueues, ASlowWorkerComputesLonger) {
  TenEach evaluator;
  StepTimes times;
  const StepGraph graph = graph_of({compute(4_ms), exchange(1, {0})});
  ASSERT_TRUE(run_step(graph, {.slowest = 2, .mean = 1.5}, evaluator, times));
  EXPECT_NEAR(times.duration.count, 0.018, 1e-12);
  EXPECT_NEAR(times.parts.wait.count, 0.002, 1e-12);
}

}  // namespace
}  // namespace netmodels
