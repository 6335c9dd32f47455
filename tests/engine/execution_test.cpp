// Execution models in steps: buffers, defaults of methods, overlap of a model stated on one line.
#include <algorithm>

#include <gtest/gtest.h>

#include "sim/engine/communication_plan.hpp"
#include "sim/scenario/study.hpp"
#include "tests/arm_parts.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/scratch_folder.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

/// Nothing stated about the exchange; 1 MB of buffers. On 3 workers at 1 Gbit/s without latency a chunk of
/// 500 kB takes 4 ms, and two of them are through a chain of two links in 12 ms.
scenario::Scenario with_buffers(int workers) {
  scenario::Scenario scenario = plain(workers, {}, 1_Gbps, 1);
  scenario.exchange.overlap.reset();
  scenario.work.workload.buffers = 1_MB;
  return scenario;
}

ExchangePlan planned_exchange(const scenario::Scenario& scenario, const StepAction& action = {}) {
  const StepSettings settings = step_settings_of(scenario);
  CommunicationPlan plan(settings, action);
  plan.plan(static_cast<std::uint32_t>(scenario.cluster.workers));
  return plan.exchange();
}

TEST(Execution, DdpBroadcastsBuffersDownAChainInChunksOfHalfAMebibyte) {
  const ExchangePlan plan = planned_exchange(with_buffers(3));
  ASSERT_TRUE(plan.buffers.has_value());
  EXPECT_EQ(plan.buffers->row->name, "pipelined_broadcast");
  EXPECT_EQ(plan.buffers->operation.size, 1_MB);
  EXPECT_EQ(plan.buffers->operation.chunks, 2U);
}

TEST(Execution, BuffersStayWhereNobodyBroadcastsThem) {
  EXPECT_FALSE(planned_exchange(with_buffers(1)).buffers.has_value());
  scenario::Scenario scenario = with_buffers(3);
  EXPECT_FALSE(planned_exchange(scenario, {Traffic::parameters, {}}).buffers.has_value());
  EXPECT_FALSE(planned_exchange(scenario, {Traffic::nothing, {}}).buffers.has_value());
  scenario.exchange.broadcast_buffers = false;
  EXPECT_FALSE(planned_exchange(scenario).buffers.has_value());
  scenario.exchange = {};
  scenario.exchange.compression = sent_as("topk", 0.01);
  EXPECT_FALSE(planned_exchange(scenario).buffers.has_value());
  scenario.exchange.broadcast_buffers = true;
  EXPECT_TRUE(planned_exchange(scenario).buffers.has_value());
  scenario.work.workload.buffers = {};
  EXPECT_FALSE(planned_exchange(scenario).buffers.has_value());
}

TEST(Execution, NothingHidesTheBroadcast) {
  scenario::Scenario scenario = with_buffers(3);
  const StepRecord with = steps_of(scenario).front();
  scenario.exchange.broadcast_buffers = false;
  const StepRecord without = steps_of(scenario).front();
  EXPECT_NEAR(with.duration.count - without.duration.count, 0.012, kTiny);
  EXPECT_NEAR(with.parts.exchange.count - without.parts.exchange.count, 0.012, kTiny);
  EXPECT_NEAR(with.exchange_busy.count - without.exchange_busy.count, 0.012, kTiny);
  EXPECT_NEAR(with.sent->count - without.sent->count, 2e6 / 3, 1e-6);  // two of three workers pass it on
}

TEST(Execution, TheTimelineAndTheExplanationShowBuffers) {
  std::vector<Span> bars;
  Listeners listeners;
  listeners.span = [&](const Span& span) { bars.push_back(span); };
  scenario::Scenario scenario = with_buffers(3);
  scenario.cluster.speeds = {1, 1, 0.5};
  (void)played(scenario, listeners).value();
  const auto bar = std::ranges::find(bars, "buffers: pipelined_broadcast", &Span::name);
  ASSERT_NE(bar, bars.end());
  EXPECT_EQ(bar->lane, "exchange");
  EXPECT_NEAR(bar->duration.count, 0.012, kTiny);
  const auto forward = std::ranges::find(bars, "forward", &Span::name);
  EXPECT_NEAR(forward->start.count, 0.012, kTiny);
  EXPECT_NEAR(forward->duration.count, 0.040, kTiny);

  ClusterCache clusters;
  const auto steps = explain(scenario, clusters).value();
  const ExplainedExchange& exchange = steps.front().exchanges.front();
  EXPECT_EQ(exchange.bucket, "buffers");
  EXPECT_EQ(exchange.collective, "pipelined_broadcast");
  EXPECT_EQ(exchange.size, 1_MB);
  EXPECT_NEAR(exchange.ready.count, 0, kTiny);
  EXPECT_EQ(steps.front().exchanges[1].bucket, "bucket 1 of 2: 1000000 values");
}

TEST(Execution, WhatIsComparedWithCompressionRunsInItsOwnModel) {
  scenario::Scenario scenario = with_buffers(3);
  scenario.exchange.compression = sent_as("topk", 0.01);
  const ExchangePlan dense = planned_exchange(scenario, {Traffic::gradients, ChosenCompression{{}, {{}}}});
  EXPECT_EQ(dense.buckets.size(), 2U);
  EXPECT_TRUE(dense.buffers.has_value());
  EXPECT_EQ(planned_exchange(scenario).buckets.size(), 1U);
}

TEST(Execution, APerTensorMethodExchangesEveryLayerAfterTheBackwardPass) {
  scenario::Scenario scenario = with_buffers(3);
  scenario.exchange.collective = "auto";
  scenario.exchange.compression = sent_as("lwtopk", 0.01);
  const StepSettings settings = step_settings_of(scenario);
  CommunicationPlan plan(settings, {});
  plan.plan(3);
  EXPECT_EQ(plan.graph().collectives.size(), 4U);
  EXPECT_EQ(plan.graph().total("backward"), 80_ms);
  EXPECT_EQ(std::ranges::count(plan.graph().operations, "backward", &netmodels::StepOperation::name), 1);
}

// 100 MB in 64 layers; 60 ms of backward pass; the ring of 4 takes 1.5 x 8 ms for 10 Gbit/s and 10 MB.
TEST(Execution, AModelStatedOnOneLineOverlapsMostOfItsExchange) {
  const tests::ScratchFolder scratch;
  const std::string text =
      "# ?\nworkload: {parameters: 25000000, compute: 900 ms, batch: 32}\n"
      "cluster: {workers: 4, link: {latency: 0 s, bandwidth: 10 Gbit/s}}\n"
      "training: {batch: 32, steps: 1}\nexchange: {collective: ring_allreduce}\n";
  const auto reading =
      scenario::read_study(scratch.write("s.yaml", text), {}, tests::source_dir() + "/scenarios", {});
  ASSERT_TRUE(reading.has_value()) << reading.error().text();
  const StepRecord step = steps_of(reading->study.arms.front()).front();
  EXPECT_NEAR(step.exchange_busy.count, 0.120, 1e-9);  // 1.5 x 100 MB at 1.25 GB/s
  EXPECT_LT(step.parts.exchange.count, 0.030);         // the last bucket of at most 25 MiB
  EXPECT_GT(step.parts.exchange.count, 0.020);
}

}  // namespace
}  // namespace sim::engine
