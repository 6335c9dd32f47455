// Steps by hand whose forward pass waits for buffers, or whose exchanges wait for a cycle.
#include <gtest/gtest.h>

#include "netmodels/data_parallel_step.hpp"

namespace netmodels {
namespace {

using namespace literals;

/// Evaluates collectives at full use of the links of a ring: an all-reduce takes 2 (N-1)/N M/B, a broadcast
/// M/B.
class RingTraffic final : public CollectiveEvaluator {
 public:
  RingTraffic(const StepGraph& graph, Bandwidth bandwidth) : graph_(graph), bandwidth_(bandwidth) {}
  Result<Seconds> duration(std::size_t index, Seconds) override {
    const StepOperation& asked = graph_.operations[index];
    const double ranks = asked.operation.ranks;
    const double passes = asked.name == buffers_name ? 1 : 2 * (ranks - 1) / ranks;
    return asked.operation.size / bandwidth_ * passes;
  }

 private:
  const StepGraph& graph_;
  Bandwidth bandwidth_;
};

StepTimes run_on_ring(const StepGraph& graph, Bandwidth bandwidth) {
  StepTimes times;
  RingTraffic evaluator(graph, bandwidth);
  EXPECT_TRUE(run_step(graph, {}, evaluator, times).has_value());
  return times;
}

BucketStage stage_of(Bytes size) {
  BucketStage stage;
  stage.operation.ranks = 4;
  stage.operation.size = size;
  return stage;
}

/// One layer: 10 ms forward, 20 ms backward.
Workload one_layer(std::int64_t parameters) {
  Workload workload;
  Layer layer;
  layer.parameters = parameters;
  layer.forward = {10_ms, {}};
  layer.backward = {20_ms, {}};
  workload.layers.push_back(layer);
  return workload;
}

std::vector<BucketExchange> whole_gradient(const Workload& workload, Bytes size) {
  return {{gradient_buckets(workload.layers, {Bytes{}, Bytes{}}).front(), {stage_of(size)}}};
}

// 4 x L40S at 5 Gbit/s: 123 386 880 B of gradients and 50 331 648 B of buffers (six tables of rotary
// positions). On a ring each link carries 1.5 x 123.4 + 50.3 = 235.4 MB in place of 185.1. Source:
// `train_driver_ddp.py` of diloco-measured @07b7885 with torchtitan's `debugmodel`; DDP took 1.325 times the
// step of all-reduce alone.
TEST(BuffersStep, DdpSendsTwentySevenPercentMoreThanAnAllReduceOfItsGradients) {
  const Workload workload = one_layer(123386880 / 4);
  const auto buckets = whole_gradient(workload, 123386880_B);
  const StepGraph plain = data_parallel_step(workload, 1, {true, buckets});
  const StepGraph ddp = data_parallel_step(workload, 1, {true, buckets, stage_of(50331648_B)});
  const double without = run_on_ring(plain, 5_Gbps).exchange_busy.count;
  const double with = run_on_ring(ddp, 5_Gbps).exchange_busy.count;
  EXPECT_NEAR(without * 625e6, 185080320, 1);
  EXPECT_NEAR(with * 625e6, 235411968, 1);
  EXPECT_NEAR(with / without, 1.272, 5e-4);
}

// The host ends at 5 ms, the buffers at 13 ms, forward at 23 ms, backward at 43 ms, the gradient at 55 ms.
TEST(BuffersStep, NothingOverlapsTheBroadcast) {
  Workload workload = one_layer(1000);
  workload.host_overhead = {5_ms, {}};
  workload.optimizer = 1_ms;
  const auto buckets = whole_gradient(workload, 8_MB);
  const StepGraph graph = data_parallel_step(workload, 1, {true, buckets, stage_of(8_MB)});
  const StepTimes times = run_on_ring(graph, 8_Gbps);
  EXPECT_NEAR(times.duration.count, 0.056, 1e-14);
  EXPECT_NEAR(times.parts.compute.count, 0.036, 1e-14);
  EXPECT_NEAR(times.parts.exchange.count, 0.020, 1e-14);
  EXPECT_NEAR(times.exchange_busy.count, 0.020, 1e-14);
}

TEST(BuffersStep, WithoutBuffersTheForwardPassWaitsForNothing) {
  const Workload workload = one_layer(1000);
  const StepGraph graph = data_parallel_step(workload, 1, {true, {}});
  EXPECT_TRUE(graph.collectives.empty());
  EXPECT_NEAR(run_on_ring(graph, 8_Gbps).duration.count, 0.030, 1e-14);
}

// Three micro-batches of 10 ms + 20 ms: the gradient is ready at 90 ms, takes 12 ms, and none was sent
// before.
TEST(MicroBatches, BeforeTheLastAreComputedAndExchangeNothing) {
  Workload workload = one_layer(1000);
  workload.accumulate(3);
  const auto buckets = whole_gradient(workload, 8_MB);
  const StepGraph graph = data_parallel_step(workload, 1, {true, buckets});
  ASSERT_EQ(graph.collectives.size(), 1U);
  const StepTimes times = run_on_ring(graph, 8_Gbps);
  EXPECT_NEAR(times.operations[graph.collectives.front()].start.count, 0.090, 1e-14);
  EXPECT_NEAR(times.duration.count, 0.102, 1e-14);
  EXPECT_NEAR(times.parts.compute.count, 0.090, 1e-14);
}

// Ready at 30 ms and sent at 30.4 ms: the wait counts as exchange.
TEST(DelayedBucket, IsSentAfterItsDelay) {
  const Workload workload = one_layer(1000);
  auto buckets = whole_gradient(workload, 8_MB);
  buckets.front().bucket.delay = 0.4_ms;
  const StepGraph graph = data_parallel_step(workload, 1, {true, buckets});
  const StepTimes times = run_on_ring(graph, 8_Gbps);
  EXPECT_NEAR(times.operations[graph.collectives.front()].start.count, 0.0304, 1e-14);
  EXPECT_NEAR(times.duration.count, 0.0424, 1e-14);
  EXPECT_NEAR(times.parts.exchange.count, 0.0124, 1e-14);
  EXPECT_EQ(times.parts.compress, Seconds{});
}

// Both ready at 30 ms and due at 50 ms: the second goes once the first is through, and not at 70 ms.
TEST(DelayedBucket, SeveralWaitAtTheSameTime) {
  const Workload workload = one_layer(1000);
  auto buckets = whole_gradient(workload, 8_MB);
  buckets.front().bucket.delay = 20_ms;
  buckets.push_back(buckets.front());
  const StepGraph graph = data_parallel_step(workload, 1, {true, buckets});
  const StepTimes times = run_on_ring(graph, 8_Gbps);
  EXPECT_NEAR(times.operations[graph.collectives.front()].start.count, 0.050, 1e-14);
  EXPECT_NEAR(times.operations[graph.collectives.back()].start.count, 0.062, 1e-14);
}

}  // namespace
}  // namespace netmodels
