// Queues of streams by hand: both buffers, waiting, rates that change, rates that are drawn.
#include "sim/engine/stream_buffers.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using netmodels::Seconds;
using scenario::StreamBuffer;

/// One 121 ms step takes ten samples; a single worker exchanges nothing.
scenario::Scenario streaming(std::vector<double> rates, StreamBuffer buffer, std::int64_t steps = 3) {
  scenario::Scenario scenario = plain(static_cast<int>(rates.size()), {}, {1e15}, steps);
  scenario.work.streams.emplace();
  scenario.work.streams->rates = std::move(rates);
  scenario.work.streams->buffer = buffer;
  scenario.work.streams->sample_size = {1000};
  return scenario;
}

const std::vector<std::uint32_t> kOne{0};

StreamBuffers buffers_of(const scenario::Scenario& scenario) {
  return {*scenario.work.streams, static_cast<std::uint32_t>(scenario.cluster.workers),
          scenario.simulation.seed};
}

/// Takes ten samples at `now` and works for so long. @returns the wait
Seconds step(StreamBuffers& streams, Seconds& now, Seconds working) {
  const Seconds wait = streams.take(now, kOne, {10}).front();
  now += wait + working;
  streams.pass(now, working, kOne);
  return wait;
}

// 20 samples/s, steps of 2 s: the first waits 10/20 s; then 40 arrive in each step and 10 leave.
TEST(StreamBuffers, PersistenceKeepsWhatNoBatchTakes) {
  StreamBuffers streams = buffers_of(streaming({20}, StreamBuffer::persistence));
  Seconds now;
  EXPECT_EQ(step(streams, now, 2_s), 0.5_s);
  EXPECT_EQ(streams.buffer().samples, 40);
  EXPECT_EQ(step(streams, now, 2_s), 0_s);
  EXPECT_EQ(streams.buffer().samples, 70);
  EXPECT_EQ(step(streams, now, 2_s), 0_s);
  EXPECT_EQ(streams.buffer().samples, 100);
  EXPECT_EQ(streams.buffer().bytes, netmodels::Bytes{100e3});
  EXPECT_EQ(streams.buffer().streamed, 130);  // 100 and three batches
}

TEST(StreamBuffers, TruncationHoldsWhatOneStepBrings) {
  StreamBuffers streams = buffers_of(streaming({20}, StreamBuffer::truncation));
  Seconds now;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(step(streams, now, 2_s), i == 0 ? 0.5_s : 0_s);
    EXPECT_EQ(streams.buffer().samples, 40);
  }
}

// 4 samples/s, steps of 1 s: 4 are there, 6 are missing, 1.5 s to wait, in both.
TEST(StreamBuffers, AStreamSlowerThanItsBatchWaitsInEveryStep) {
  for (const auto buffer : {StreamBuffer::persistence, StreamBuffer::truncation}) {
    StreamBuffers streams = buffers_of(streaming({4}, buffer));
    Seconds now;
    EXPECT_EQ(step(streams, now, 1_s), 2.5_s);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(step(streams, now, 1_s), 1.5_s);
      EXPECT_EQ(streams.buffer().samples, 4);
    }
  }
}

TEST(StreamBuffers,
     EquationTwoHoldsAfterManySteps) {  // Q = (t S - b) T + S, with b = S
  scenario::Scenario scenario = streaming({10}, StreamBuffer::persistence);
  StreamBuffers streams = buffers_of(scenario);
  Seconds now;
  for (int i = 0; i < 1000; ++i) step(streams, now, {1.5});
  EXPECT_NEAR(streams.buffer().samples, (1.5 * 10 - 10) * 1000 + 10, 1e-6);
  EXPECT_NEAR(streams.buffer().streamed, 1.5 * 10 * 1000 + 10, 1e-6);  // equation (3)
}

// Half the rate from 3 s on: the step from 0.5 to 4.5 s (working 4 s) brings 2.5 x 20 + 1.5 x 10.
TEST(StreamBuffers, FollowsRatesThatChange) {
  scenario::Scenario scenario = streaming({20}, StreamBuffer::persistence);
  scenario.work.streams->changes = {{3_s, {}, 0.5}, {100_s, {}, 2}};
  StreamBuffers streams = buffers_of(scenario);
  Seconds now;
  EXPECT_EQ(step(streams, now, 4_s), 0.5_s);
  EXPECT_EQ(streams.buffer().samples, 65);
  EXPECT_EQ(streams.rate(0, 2_s), 20);
  EXPECT_EQ(streams.rate(0, 3_s), 10);
  EXPECT_EQ(streams.rate(0, 100_s), 40);
}

// 1 sample/s until 4 s, then 12: four are there when the rate changes, the other six take half a second.
TEST(StreamBuffers, WaitsAcrossAChange) {
  scenario::Scenario scenario = streaming({1}, StreamBuffer::persistence);
  scenario.work.streams->changes = {{4_s, {}, 12}};
  StreamBuffers streams = buffers_of(scenario);
  EXPECT_EQ(streams.take({}, kOne, {10}).front(), 4.5_s);
}

TEST(StreamBuffers, AChangeStatesAFactorOrARate) {  // a factor is on the rate of the beginning
  scenario::Scenario scenario = streaming({20}, StreamBuffer::persistence);
  scenario.work.streams->changes = {{1_s, {}, {}, 50}, {2_s, {}, 0.5, {}}};
  const StreamBuffers streams = buffers_of(scenario);
  EXPECT_EQ(streams.rate(0, 1_s), 50);
  EXPECT_EQ(streams.rate(0, 2_s), 10);
}

TEST(StreamBuffers, AChangeOfSomeDevicesLeavesTheOthers) {
  scenario::Scenario scenario = streaming({20, 20}, StreamBuffer::persistence);
  scenario.work.streams->changes = {{1_s, {1}, 0.5}};
  const StreamBuffers streams = buffers_of(scenario);
  EXPECT_EQ(streams.rate(0, 1_s), 20);
  EXPECT_EQ(streams.rate(1, 1_s), 10);
}

// Two devices of 20 and 4 samples/s; the fast one waits 2 s more for the slow one's batch in the first step,
// and arrivals then are kept only where waiting counts.
TEST(StreamBuffers, WhatArrivesWhileOthersWaitCountsOnlyWhereAsked) {
  for (const bool counts : {false, true}) {
    scenario::Scenario scenario = streaming({20, 4}, StreamBuffer::persistence);
    scenario.work.streams->waiting_counts = counts;
    StreamBuffers streams = buffers_of(scenario);
    const std::vector<std::uint32_t> both{0, 1};
    EXPECT_EQ(streams.take({}, both, {10, 10}), (std::vector<Seconds>{0.5_s, 2.5_s}));
    streams.pass(3.5_s, 1_s, both);
    EXPECT_EQ(streams.buffer().fullest, counts ? 60 : 20) << counts;
    EXPECT_EQ(streams.buffer().samples, counts ? 64 : 24) << counts;
  }
}

// 20 samples/s; a step of 2 s ends at 2.5 s, the next begins 1 s later, as after a recovery. The 20 samples
// of that second are there for it only where waiting counts: 40 + 20 - 10 + 20 in the end instead of 40 - 10
// + 20.
TEST(StreamBuffers, WhatArrivesBetweenStepsCountsOnlyWhereAsked) {
  for (const bool counts : {false, true}) {
    scenario::Scenario scenario = streaming({20}, StreamBuffer::persistence);
    scenario.work.streams->waiting_counts = counts;
    StreamBuffers streams = buffers_of(scenario);
    Seconds now;
    EXPECT_EQ(step(streams, now, 2_s), 0.5_s);
    now += 1_s;
    EXPECT_EQ(step(streams, now, 1_s), 0_s);
    EXPECT_EQ(streams.buffer().samples, counts ? 70 : 50) << counts;
    EXPECT_EQ(streams.buffer().streamed, counts ? 90 : 70) << counts;
  }
}

TEST(StreamBuffers, RatesAreDrawnByTheLawAndTheSeed) {
  scenario::Scenario scenario = streaming(std::vector<double>(4000, 1), StreamBuffer::persistence);
  scenario.work.streams->rates.clear();
  for (const auto law : {scenario::RateDistributionKind::uniform, scenario::RateDistributionKind::normal}) {
    scenario.work.streams->distribution = {law, 300, 112, 0.001, {}};
    const StreamBuffers streams = buffers_of(scenario);
    double sum = 0;
    double squares = 0;
    for (std::uint32_t worker = 0; worker < 4000; ++worker) {
      sum += streams.rate(worker, {});
      squares += std::pow(streams.rate(worker, {}) - 300, 2);
    }
    EXPECT_NEAR(sum / 4000, 300, 6);
    EXPECT_NEAR(std::sqrt(squares / 4000), 112, 5);
    EXPECT_EQ(streams.rate(7, {}), buffers_of(scenario).rate(7, {}));
  }
  scenario.work.streams->distribution = {scenario::RateDistributionKind::uniform, 38, 24, 8, 60};
  const StreamBuffers clipped = buffers_of(scenario);
  for (std::uint32_t worker = 0; worker < 4000; ++worker) {
    EXPECT_GE(clipped.rate(worker, {}), 8);
    EXPECT_LE(clipped.rate(worker, {}), 60);
  }
}

// A step of one worker is 121 ms; ten samples at 50 a second: 200 ms first, then 10 - 6.05 are missing.
// 10 samples/s each; the first trains on 10 in each step of 2 s, the other rests and keeps what arrives.
TEST(StreamBuffers, AWorkerThatRestsKeepsWhatArrives) {
  StreamBuffers streams = buffers_of(streaming({10, 10}, StreamBuffer::persistence));
  Seconds now;
  double trained = 0;
  for (int i = 0; i < 4; ++i) {
    const Seconds wait = streams.take(now, {0}, {10, 10}).front();
    trained += 10;
    now += wait + 2_s;
    streams.pass(now, 2_s, {0, 1});
  }
  EXPECT_EQ(streams.buffer().samples, 4 * 20 - 30 + 4 * 20);
  EXPECT_EQ(streams.buffer().streamed, trained + streams.buffer().samples);
}

TEST(StreamBuffers, PutsOffTheStepsOfATraining) {
  const auto steps = steps_of(streaming({50}, StreamBuffer::persistence));
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_NEAR(steps[0].parts.stream_wait.count, 0.2, 1e-12);
  EXPECT_NEAR(steps[0].duration.count, 0.321, 1e-12);
  EXPECT_NEAR(steps[1].parts.stream_wait.count, 3.95 / 50, 1e-12);
  EXPECT_NEAR(steps[1].duration.count, steps[1].parts.total().count, 1e-15);
  EXPECT_NEAR(steps[2].buffer.value().samples, 6.05, 1e-12);
}

// The slow stream's worker computes twice as fast: it ends 0.2 + 0.0605 s after the step began, the other
// after 0.121 s, which would have been the end.
TEST(StreamBuffers, OnlyWhatPutsOffTheSlowestWorkerIsWaiting) {
  scenario::Scenario scenario = streaming({1e9, 50}, StreamBuffer::persistence, 1);
  scenario.cluster.speeds = {1, 2};
  EXPECT_NEAR(steps_of(scenario)[0].parts.stream_wait.count, 0.2605 - 0.121, 1e-7);
}

TEST(StreamBuffers, TheResultSaysWhatIsBufferedInTheEnd) {
  const ArmResult result = result_of(streaming({1000, 500}, StreamBuffer::persistence, 10));
  const double step = 0.121;  // the exchange takes next to nothing
  ASSERT_TRUE(result.buffer);
  EXPECT_NEAR(result.buffer->fullest, 10 * step * 1000 + 10 - 100, 0.1);
  EXPECT_NEAR(result.buffer->samples, 10 * step * 1500 + 20 - 200, 0.1);
  EXPECT_NEAR(result.streamed->count, 1000 * (10 * step * 1500 + 20), 100);
  EXPECT_FALSE(result_of(plain(1, {}, {1e15}, 2)).buffer);
}

TEST(StreamBuffers, BatchesFollowTheStream) {
  scenario::Scenario scenario = streaming({20, 5000}, StreamBuffer::truncation, 3);
  scenario.work.batching = *policies::find_batching("stream_rate");
  const ArmResult result = result_of(scenario);
  EXPECT_EQ(result.batches, (std::vector<int>{20, 1024}));
  EXPECT_EQ(result.batch_changes, 0);  // decided before the first step
  EXPECT_EQ(steps_of(scenario)[2].samples, 1044);
}

}  // namespace
}  // namespace sim::engine
