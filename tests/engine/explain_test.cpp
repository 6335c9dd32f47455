// One step per declared phase, taken apart: figures by hand and the bound that decided.
#include <gtest/gtest.h>

#include "policies/diloco.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/reason_text.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using scenario::Moment;

netmodels::Result<std::vector<ExplainedStep>> tried(const scenario::Scenario& scenario) {
  ClusterCache clusters;
  return explain(scenario, clusters);
}

std::vector<ExplainedStep> explained(const scenario::Scenario& scenario) { return tried(scenario).value(); }

TEST(Explain, ShowsTheNumbersOfAStep) {
  const auto steps = explained(plain(4, 1_ms, kSlow, 3));
  ASSERT_EQ(steps.size(), 1U);
  const ExplainedStep& step = steps[0];
  EXPECT_EQ(step.phase, "from the start: 800 Mbit/s, 1 ms");
  EXPECT_EQ(step.latency, 1_ms);
  EXPECT_EQ(step.bandwidth, kSlow);
  EXPECT_NEAR(step.forward.count, 0.040, 1e-15);
  EXPECT_NEAR(step.backward.count, 0.080, 1e-15);
  EXPECT_EQ(step.optimizer, 1_ms);
  EXPECT_NEAR(step.step.duration.count, 0.367, 1e-12);
  EXPECT_EQ(step.step.staleness, 0);
  ASSERT_EQ(step.exchanges.size(), 1U);
  const ExplainedExchange& exchange = step.exchanges[0];
  EXPECT_EQ(exchange.bucket, "bucket 1 of 1: 4000000 values");
  EXPECT_EQ(exchange.collective, "ring_allreduce");
  EXPECT_EQ(exchange.formula, "2(N-1) (L + M/(N B))");
  EXPECT_EQ(exchange.size, 16_MB);
  EXPECT_EQ(exchange.ranks, 4U);
  EXPECT_NEAR(exchange.start.count, 0.120, 1e-15);
  EXPECT_NEAR(exchange.duration.count, 0.246, 1e-12);
  EXPECT_NEAR(exchange.latency_share.count, 0.006, 1e-12);
  EXPECT_EQ(exchange.evaluator, "path");
}

TEST(Explain, SaysThatBandwidthDecides) {  // 246 of 367 ms, of which 6 ms are latency
  EXPECT_EQ(report::reason_text(explained(plain(4, 1_ms, kSlow, 3))[0].bound),
            "the exchange decides: 67 % of the step is exposed communication, and 98 % of the exchange is "
            "bandwidth");
}

TEST(Explain, SaysThatLatencyDecides) {  // 6 x 100 ms and 6 x 4 ms against 121 ms
  EXPECT_EQ(report::reason_text(explained(plain(4, 100_ms, {1e9}, 3))[0].bound),
            "the exchange decides: 84 % of the step is exposed communication, and 96 % of the exchange is "
            "latency");
}

TEST(Explain, SaysThatComputingDecidesAndHowMuchItHides) {  // 3 of 4 rings are hidden; 121 of 127 ms
  scenario::Scenario scenario = layer_by_layer(4, {}, {1e9}, 2);
  scenario.exchange.overlap = true;
  EXPECT_EQ(report::reason_text(explained(scenario)[0].bound),
            "computing decides: it takes 95 % of the step; 75 % of the exchange is hidden behind it");
}

TEST(Explain,
     SaysThatCompressionDecides) {  // 500 ms, and 2 x 80 kB / 100 MB/s for values, as much for indices
  scenario::Scenario scenario = plain(2, {}, kSlow, 1);
  scenario.exchange.compression = sent_as("ar_topk", 0.01, 500_ms);
  EXPECT_EQ(report::reason_text(explained(scenario)[0].bound),
            "compression decides: it takes 80 % of the step");
}

TEST(Explain, AWorkerAloneComputes) {
  const auto steps = explained(plain(1, 1_ms, kSlow, 3));
  EXPECT_EQ(report::reason_text(steps[0].bound), "computing decides: it takes 100 % of the step");
  EXPECT_TRUE(steps[0].exchanges.empty());
}

TEST(Explain, HasAStepForEachDeclaredPhase) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 100);
  scenario.cluster.changes = {{{Moment::Unit::step, 20}, netmodels::Bandwidth{50e6}, {}, {}, {}},
                              {{Moment::Unit::step, 20}, {}, 1_ms, {}, {}},
                              {{Moment::Unit::step, 40}, kSlow, {}, {}, {}}};
  const auto steps = explained(scenario);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[1].phase, "from step 20: 400 Mbit/s, 1 ms");
  EXPECT_EQ(steps[1].step.step, 20);
  EXPECT_NEAR(steps[1].step.duration.count, 0.121 + 0.322, 1e-12);
  EXPECT_EQ(steps[2].phase, "from step 40: 800 Mbit/s, 1 ms");
}

TEST(Explain, LeavesJitterOut) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 1);
  scenario.work.compute.jitter = {scenario::JitterKind::lognormal, 0.5, 0};
  EXPECT_NEAR(explained(scenario)[0].step.duration.count, 0.281, 1e-12);
}

TEST(Explain, StagesOfABucketFollowEachOther) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 1);
  scenario.exchange.compression = sent_as("ar_topk", 0.01, 3_ms);
  const auto exchanges = explained(scenario)[0].exchanges;
  ASSERT_EQ(exchanges.size(), 2U);
  EXPECT_EQ(exchanges[0].collective, "binomial_broadcast");
  EXPECT_NEAR(exchanges[0].start.count, 0.123, 1e-12);
  EXPECT_NEAR(exchanges[1].start.count, 0.123 + 0.0016, 1e-12);  // 160 kB of indices
  EXPECT_NEAR(exchanges[0].ready.count, 0.120, 1e-12);
  EXPECT_NEAR(exchanges[0].compress.count, 0.003, 1e-12);
  EXPECT_EQ(exchanges[1].ready, exchanges[1].start);  // it was compressed with the first stage
  EXPECT_EQ(exchanges[1].compress, 0_s);
  EXPECT_EQ(exchanges[1].wait, 0_s);
}

TEST(Explain, ABucketWaitsForTheExchangeBeforeIt) {  // all are ready after the backward pass, at 120 ms
  scenario::Scenario scenario = layer_by_layer(4, {}, {1e9}, 2);
  scenario.exchange.overlap = false;
  const auto exchanges = explained(scenario)[0].exchanges;
  ASSERT_EQ(exchanges.size(), 4U);
  EXPECT_EQ(exchanges[0].wait, 0_s);
  for (std::size_t i = 1; i < exchanges.size(); ++i) {
    EXPECT_EQ(exchanges[i].ready, exchanges[0].ready) << i;
    EXPECT_NEAR(exchanges[i].wait.count, static_cast<double>(i) * exchanges[0].duration.count, 1e-12) << i;
  }
}

TEST(Explain, HandsOnWhatAnEvaluatorRefuses) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 1);
  scenario.simulation.evaluator = scenario::Evaluator::closed;
  scenario.cluster.worker_links = {{{1}, {{}, {50e6}}}};
  EXPECT_EQ(tried(scenario).error().text(),
            "network: the closed form is valid only on a free homogeneous network: links differ; use "
            "`path`, `simgrid` or `auto`");
}

TEST(Explain, ASingleStepSaysNothingOfBatchesThatFollowThePast) {
  scenario::Scenario scenario = plain(2, 1_ms, kSlow, 3);
  scenario.work.batching = *policies::find_batching("dynamic");
  EXPECT_FALSE(check_typical_step(scenario.exchange.synchronisation, scenario.exchange.compression,
                                  scenario.work.batching, scenario.work.streams));
  EXPECT_EQ(tried(scenario).error().text(),
            "batching: the samples of a step depend on earlier steps, and a single step has none; explain "
            "a scenario with `batching: uniform` and no streams, or run this one");
  scenario.work.batching = {};
  scenario.work.streams.emplace();
  EXPECT_EQ(tried(scenario).error().where, "streams");
}

scenario::Scenario diloco(policies::DiLoCo::Settings settings) {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 100);
  scenario.exchange.synchronisation = policies::synchronisation("diloco", settings);
  return scenario;
}

TEST(Explain, AStepWaitsForTheWholeExchangeThatNothingOverlaps) {
  const ExplainedStep step = explained(diloco({.every = 10}))[0];
  EXPECT_FALSE(step.overlapped);
  EXPECT_NEAR(step.step.duration.count, 0.121 + 0.246, 1e-12);
}

TEST(Explain, ARoundIsTheStepThatExchangesAndTheLocalOnesBeforeIt) {
  const ExplainedStep step = explained(diloco({.every = 10}))[0];
  ASSERT_TRUE(step.round);
  EXPECT_EQ(step.round->steps, 10);
  EXPECT_NEAR(step.round->local.count, 0.121, 1e-12);
  EXPECT_NEAR(step.round->whole.count, 10 * 0.121 + 0.246, 1e-12);
  const ExplainedStep overlapped = explained(diloco({.every = 10, .delay = 1}))[0];
  EXPECT_NEAR(overlapped.round->whole.count, 10 * 0.121 + 0.125, 1e-12);
  EXPECT_FALSE(explained(diloco({.every = 1}))[0].round);
  EXPECT_FALSE(explained(plain(4, 1_ms, kSlow, 100))[0].round);
  scenario::Scenario run = diloco({.every = 10});
  EXPECT_NEAR(result_of(run).time.count, 10 * step.round->whole.count, 1e-9);
}

TEST(Explain, LaterStepsHideWhatTheyOverlapOfAnExchange) {  // 246 ms behind steps of 121 ms
  const ExplainedStep one = explained(diloco({.every = 10, .delay = 1}))[0];
  ASSERT_TRUE(one.overlapped);
  EXPECT_EQ(one.overlapped->steps, 1);
  EXPECT_NEAR(one.overlapped->room.count, 0.121, 1e-12);
  EXPECT_NEAR(one.overlapped->hidden.count, 0.121, 1e-12);
  EXPECT_NEAR(one.overlapped->waited.count, 0.125, 1e-12);
  EXPECT_NEAR(one.step.parts.exchange.count, 0.125, 1e-12);
  EXPECT_NEAR(one.step.duration.count, 0.121 + 0.125, 1e-12);
  EXPECT_NEAR(one.step.exchange_busy.count, 0.246, 1e-12);
  const ExplainedStep three = explained(diloco({.every = 10, .delay = 3}))[0];
  EXPECT_NEAR(three.overlapped->hidden.count, 0.246, 1e-12);
  EXPECT_EQ(three.overlapped->waited, netmodels::Seconds{});
  EXPECT_EQ(report::reason_text(three.bound),
            "computing decides: it takes 100 % of the step; 100 % of the exchange is hidden behind it");
}

/// In all, of so many exchanges, as explained.
double time_of(const scenario::Scenario& scenario, std::int64_t exchanges) {
  const ExplainedStep step = explained(scenario)[0];
  const netmodels::Seconds round = step.round ? step.round->whole : step.step.duration;
  return static_cast<double>(exchanges) * round.count;
}

// An exchange takes 246 ms or a fifth of it, a local step 121 ms; at a tenth of the bandwidth nothing hides
// one.
TEST(Explain, RunsOfOneRoundTakeAsLongForAStepAsLongOnes) {
  for (const policies::DiLoCo::Settings& settings : {policies::DiLoCo::Settings{.every = 10, .delay = 1},
                                                     {.every = 10, .delay = 3},
                                                     {.every = 2, .eager = true},
                                                     {.every = 1, .eager = true},
                                                     {.every = 10, .fragments = 5, .delay = 1},
                                                     {.every = 10, .fragments = 5, .delay = 3},
                                                     {.every = 4, .fragments = 4, .delay = 3}}) {
    for (const double slower : {1.0, 0.1}) {
      scenario::Scenario scenario = diloco(settings);
      scenario.cluster.link.bandwidth *= slower;
      for (const std::int64_t exchanges : {1, 2, 4, 7, 20}) {
        scenario.work.training.steps = exchanges * settings.every / settings.fragments;
        EXPECT_NEAR(result_of(scenario).time.count, time_of(scenario, exchanges), 1e-9)
            << settings.fragments << " fragments, delay " << settings.delay << ", " << exchanges << ", "
            << slower;
      }
    }
  }
}

TEST(Explain, AnEagerExchangeOverlapsAWholeRound) {
  const ExplainedStep step = explained(diloco({.every = 2, .eager = true}))[0];
  EXPECT_EQ(step.overlapped->steps, 2);
  EXPECT_NEAR(step.overlapped->waited.count, 0.246 - 0.242, 1e-12);
}

TEST(Explain, AnExchangeOverlapsNoMoreStepsThanThereAreToTheNextOne) {  // one fragment a step
  scenario::Scenario scenario = layer_by_layer(4, {}, {1e7}, 10000);
  scenario.exchange.synchronisation =
      policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = 4, .fragments = 4, .delay = 3});
  const ExplainedStep step = explained(scenario)[0];
  EXPECT_EQ(step.overlapped->steps, 1);
  EXPECT_GT(step.overlapped->waited, netmodels::Seconds{});
  EXPECT_NEAR(result_of(scenario).whole.parts.exchange.count, step.overlapped->waited.count, 1e-3);
}

}  // namespace
}  // namespace sim::engine
