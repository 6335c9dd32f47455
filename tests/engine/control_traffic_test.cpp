// Flags and shared samples: their bytes and times by hand, and that whole trainings pay for them.
#include "sim/engine/control_traffic.hpp"

#include <gtest/gtest.h>

#include "learning/learners/live_learner.hpp"
#include "policies/selsync.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

scenario::Scenario flagged(int workers) {
  scenario::Scenario scenario = plain(workers, 1_ms, kSlow, 4);
  scenario.exchange.synchronisation =
      policies::synchronisation("selsync", policies::SelSync::Settings{.threshold = 0.1, .warmup_steps = 1});
  return scenario;
}

/// Half of the workers give half of what they have, in samples of a megabyte.
scenario::Scenario injected(int workers, int batch, bool corrected) {
  scenario::Scenario scenario = plain(workers, 1_ms, kSlow, 2);
  scenario.work.training.batch = batch;
  learning::learners::LiveSettings training;
  training.injection = {0.5, 0.5, corrected, 1_MB};
  scenario.learner.kind = learning::learners::learner("live", training);
  return scenario;
}

struct Charged {
  bool empty;
  double sent;  ///< bytes
  double time;  ///< s
};

Charged charged(const scenario::Scenario& scenario) {
  SharedCluster built(Platform::make(scenario.cluster).value());
  auto network = NetworkTimeline::make(scenario.cluster, built.platform(), built.numbers()).value();
  CostEvaluator evaluator(built, {});
  const auto workers = everyone(static_cast<std::uint32_t>(scenario.cluster.workers));
  evaluator.set_workers(workers);
  ControlTraffic side(scenario.exchange.synchronisation->traits.flags, scenario.learner.kind,
                      scenario.simulation.seed);
  side.plan(workers, scenario.work.training, evaluator);
  return {side.empty(), side.sent().count, side.evaluate({}, evaluator, network).value().count};
}

TEST(ControlTraffic, BulkSynchronousTrainingHasNone) {
  const Charged none = charged(plain(8, 1_ms, kSlow, 1));
  EXPECT_TRUE(none.empty);
  EXPECT_EQ(none.sent, 0);
  EXPECT_EQ(none.time, 0);
}

TEST(ControlTraffic, OneWorkerTellsNobody) {
  EXPECT_TRUE(charged(flagged(1)).empty);
  EXPECT_TRUE(charged(injected(1, 10, true)).empty);
}

TEST(ControlTraffic, FlagsAreOneByteOfEachWorkerToAllOthers) {  // 3 rounds of 1, 2 and 4 bytes
  const Charged flags = charged(flagged(8));
  EXPECT_EQ(flags.sent, 7);
  EXPECT_NEAR(flags.time, 0.003 + 7 / 100e6, kTiny);
}

// Batches of 10 shrink to 10 / (1 + 0.25 x 4) = 5; two donors share 3 of them: 6 MB in all, 3/4 of which
// each worker passes on, in two rounds.
TEST(ControlTraffic, DonorsShareTheirPartOfShrunkenBatches) {
  const Charged samples = charged(injected(4, 10, true));
  EXPECT_NEAR(samples.sent, 4.5e6, 1e-6);
  EXPECT_NEAR(samples.time, 0.002 + 0.045, kTiny);
}

TEST(ControlTraffic, BatchesThatDoNotShrinkShareMore) {  // two donors share 5 of 10: 10 MB in all
  EXPECT_NEAR(charged(injected(4, 10, false)).sent, 7.5e6, 1e-6);
}

TEST(ControlTraffic, FlagsAndSamplesAddUp) {
  scenario::Scenario both = injected(4, 10, true);
  both.exchange.synchronisation =
      policies::synchronisation("selsync", policies::SelSync::Settings{.threshold = 0.1});
  const Charged found = charged(both);
  EXPECT_NEAR(found.sent, 4.5e6 + 3, 1e-6);
  EXPECT_NEAR(found.time, 0.047 + 0.002 + 3 / 100e6, kTiny);
}

// One step with an all-reduce of 16 MB (6 rounds of 41 ms), then nothing but flags: 2 rounds of 1 and 2
// bytes.
TEST(ControlTraffic, EveryStepPaysForItsFlags) {
  const auto steps = steps_of(flagged(4));
  const double flags = 0.002 + 3 / 100e6;
  EXPECT_NEAR(steps[0].duration.count, 0.121 + 0.246 + flags, kTiny);
  EXPECT_NEAR(steps[0].sent->count, 24e6 + 3, 1e-6);
  EXPECT_NEAR(steps[1].duration.count, 0.121 + flags, kTiny);
  EXPECT_NEAR(steps[1].parts.exchange.count, flags, kTiny);
  EXPECT_NEAR(steps[1].exchange_busy.count, flags, kTiny);
  EXPECT_EQ(*steps[1].sent, netmodels::Bytes{3});
  EXPECT_EQ(steps[1].traffic, Traffic::nothing);
}

TEST(ControlTraffic, EveryStepPaysForComputingWhetherToExchange) {
  scenario::Scenario scenario = flagged(4);
  scenario.exchange.synchronisation = policies::synchronisation(
      "selsync", policies::SelSync::Settings{.threshold = 0.1, .warmup_steps = 1, .change_time = 17.1_ms});
  const auto without = steps_of(flagged(4));
  const auto steps = steps_of(scenario);
  for (const std::size_t step : {0U, 1U}) {  // one that exchanges, one that does not
    EXPECT_NEAR((steps[step].duration - without[step].duration).count, 0.0171, kTiny);
    EXPECT_NEAR((steps[step].parts.compute - without[step].parts.compute).count, 0.0171, kTiny);
    EXPECT_NEAR(steps[step].parts.total().count, steps[step].duration.count, kTiny);
  }
}

TEST(ControlTraffic, EveryStepPaysForItsSamples) {
  scenario::Scenario scenario = injected(4, 10, true);
  const auto steps = steps_of(scenario);
  EXPECT_NEAR(steps[1].duration.count, 0.121 + 0.246 + 0.047, kTiny);
  EXPECT_NEAR(steps[1].sent->count, 24e6 + 4.5e6, 1e-6);
}

// Batches of one second of a stream, 12, 18, 24 and 48 samples, share 6, 9, 12 and 24: two mean donors 25.5
// MB in all, where the stated batch of 10 would share 10 MB.
TEST(ControlTraffic, SharesFollowTheBatchesOfStreams) {
  scenario::Scenario scenario = injected(4, 10, false);
  scenario.work.streams.emplace().rates = {12, 18, 24, 48};
  scenario.work.batching = *policies::find_batching("stream_rate");
  EXPECT_NEAR(steps_of(scenario)[1].sent->count, 24e6 + 25.5e6 * 3 / 4, 1e-6);
}

TEST(ControlTraffic, IsPlannedAnewWhenAWorkerIsLost) {  // the flags of two are one byte each way
  scenario::Scenario scenario = flagged(3);
  scenario.cluster.failures = {{1, std::nullopt, {0.01}, std::nullopt}};
  const auto steps = steps_of(scenario);
  EXPECT_EQ(*steps.back().sent, netmodels::Bytes{1});
}

}  // namespace
}  // namespace sim::engine
