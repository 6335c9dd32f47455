// Whole trainings by hand: steps and their parts, changes where stated, listeners, and how a run ends.
#include "sim/engine/simulate.hpp"

#include <algorithm>
#include <atomic>

#include <gtest/gtest.h>

#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using scenario::Moment;

scenario::LinkChange slower_at(Moment::Unit unit, double at) {
  return {{unit, at}, netmodels::Bandwidth{50e6}, {}, {}, {}};
}

/// Steps in which the ring of two workers takes 320 ms in place of 160 ms.
std::vector<std::int64_t> slow_steps(const scenario::Scenario& scenario) {
  std::vector<std::int64_t> slow;
  for (const StepRecord& step : steps_of(scenario)) {
    if (step.parts.exchange > 0.3_s) slow.push_back(step.step);
  }
  return slow;
}

TEST(Play, AStepIsComputingAndARing) {  // 121 ms and 6 x 41 ms
  const ArmResult result = result_of(plain(4, 1_ms, kSlow, 3));
  EXPECT_NEAR(result.whole.step_time().count, 0.367, kTiny);
  EXPECT_NEAR(result.whole.parts.compute.count, 0.121, kTiny);
  EXPECT_NEAR(result.whole.parts.exchange.count, 0.246, kTiny);
  EXPECT_NEAR(result.whole.parts.wait.count, 0, kTiny);
  EXPECT_NEAR(result.time.count, 3 * 0.367, kTiny);
  EXPECT_EQ(result.whole.sent, 24_MB);
  EXPECT_NEAR(result.whole.samples_per_second, 40 / 0.367, 1e-9);
  EXPECT_NEAR(result.whole.scaling_efficiency, 0.121 / 0.367, kTiny);
  EXPECT_NEAR(result.compute_alone.count, 0.121, kTiny);
  EXPECT_EQ(result.ending, Ending::finished);
  EXPECT_EQ(result.outside_steps, netmodels::Seconds{});
}

// 16.01 ms of 16 MB: twice the largest measured size, so 10 % become 20 %.
TEST(Play, AMeasuredExchangeGivesTheStepAMargin) {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 3);
  scenario.cluster.measured = {measured_all_reduce(4, 4)};
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.whole.step_time().count, 0.121 + 0.01601, kTiny);
  EXPECT_NEAR(result.whole.margin.count, 0.003202, kTiny);
  EXPECT_EQ(result_of(plain(4, 1_ms, kSlow, 3)).whole.margin.count, 0);
}

TEST(Play,
     ErrorsOfExchangesThatAreHiddenDoNotCount) {  // 4.01 ms each, only the last one after the backward pass
  scenario::Scenario scenario = layer_by_layer(4, 1_ms, kSlow, 1);
  scenario.cluster.measured = {measured_all_reduce(4, 4)};
  scenario.exchange.overlap = true;
  EXPECT_NEAR(result_of(scenario).whole.margin.count, 0.000401, kTiny);
}

TEST(Play, OneWorkerExchangesNothing) {
  scenario::Scenario scenario = plain(1, 1_ms, kSlow, 10);
  scenario.exchange.collective = "auto";
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.time.count, 1.21, kTiny);
  EXPECT_EQ(result.whole.sent, netmodels::Bytes{});
  EXPECT_EQ(result.whole.exchange_busy, netmodels::Seconds{});
  EXPECT_NEAR(result.whole.scaling_efficiency, 1, kTiny);
  EXPECT_EQ(result.evaluators.path + result.evaluators.simgrid + result.evaluators.closed +
                result.evaluators.reused,
            0U);
  EXPECT_EQ(result.phases.at(0).label, "from the start: one worker");
}

TEST(Play, OverlapHidesAllButTheLastBucket) {  // four rings of 6 ms, three hidden by the backward pass
  scenario::Scenario scenario = layer_by_layer(4, {}, {1e9}, 2);
  scenario.exchange.overlap = true;
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.whole.step_time().count, 0.127, kTiny);
  EXPECT_NEAR(result.whole.parts.exchange.count, 0.006, kTiny);
  EXPECT_NEAR(result.whole.exchange_busy.count, 0.024, kTiny);
}

TEST(Play, OverlapThatSlowsComputingCostsItsStretch) {  // three hidden rings of 6 ms do 4 ms of work each
  scenario::Scenario scenario = layer_by_layer(4, {}, {1e9}, 2);
  scenario.exchange.overlap = true;
  scenario.exchange.overlap_slowdown = 0.5;
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.whole.step_time().count, 0.133, kTiny);
  EXPECT_NEAR(result.whole.parts.compute.count, 0.127, kTiny);
}

TEST(Play,
     AChangeInsideACollectiveIsFeltFromThatMoment) {  // 4 MB until 160 ms, 4 MB and 8 MB at half the pace
  scenario::Scenario scenario = plain(2, {}, kSlow, 2);
  scenario.cluster.changes = {at_time({0.16}, netmodels::Bandwidth{50e6})};
  const auto steps = steps_of(scenario);
  EXPECT_NEAR(steps[0].duration.count, 0.401, kTiny);
  EXPECT_NEAR(steps[1].duration.count, 0.441, kTiny);
}

TEST(Play, AChangeBetweenCollectivesLandsInTheNext) {  // 0.3 s is in the second forward pass
  scenario::Scenario scenario = plain(2, {}, kSlow, 3);
  scenario.cluster.changes = {at_time({0.3}, netmodels::Bandwidth{50e6})};
  EXPECT_EQ(slow_steps(scenario), (std::vector<std::int64_t>{1, 2}));
}

TEST(Play, AChangeAtAStepBeginsWithIt) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 5);
  scenario.cluster.changes = {slower_at(Moment::Unit::step, 3)};
  EXPECT_EQ(slow_steps(scenario), (std::vector<std::int64_t>{3, 4}));
}

TEST(Play, AChangeAtAnEpochBeginsWithTheFirstStepInIt) {  // 20 of 100 samples a step; 0.5 epochs are reached
                                                          // by step 3
  scenario::Scenario scenario = plain(2, {}, kSlow, 7);
  scenario.work.training = {10, 2, 100, std::nullopt};
  scenario.cluster.changes = {slower_at(Moment::Unit::epoch, 0.5)};
  EXPECT_EQ(slow_steps(scenario), (std::vector<std::int64_t>{3, 4, 5, 6, 7, 8, 9}));
  scenario.cluster.changes = {slower_at(Moment::Unit::epoch, 1)};
  EXPECT_EQ(slow_steps(scenario), (std::vector<std::int64_t>{5, 6, 7, 8, 9}));
}

TEST(Play, APhaseBeginsWithTheFirstStepAfterAChange) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 5);
  scenario.cluster.changes = {slower_at(Moment::Unit::step, 2)};
  const ArmResult result = result_of(scenario);
  ASSERT_EQ(result.phases.size(), 2U);
  EXPECT_EQ(result.phases[0].label, "from the start: 800 Mbit/s, 0 s");
  EXPECT_EQ(result.phases[1].label, "from step 2: 400 Mbit/s, 0 s");
  EXPECT_EQ(result.phases[1].steps, 3);
  EXPECT_NEAR(result.phases[0].step_time().count, 0.281, kTiny);
  EXPECT_NEAR(result.phases[1].step_time().count, 0.441, kTiny);
}

TEST(Play, EpochsCountTheSamplesOfAllWorkers) {  // 2 x 10 samples a step of 1000, one and a half times
  scenario::Scenario scenario = plain(2, {}, kSlow, 7);
  scenario.work.training = {10, 1.5, 1000, std::nullopt};
  EXPECT_EQ(result_of(scenario).whole.steps, 75);
}

TEST(Play, ASlowDownInTimeReachesTheStepsThatBeginInIt) {  // steps begin at 0, 281, 804 ms
  scenario::Scenario scenario = plain(2, {}, kSlow, 3);
  scenario.work.compute.slowdowns = {{1, {0.2}, netmodels::Seconds{0.3}, 3}};
  const auto steps = steps_of(scenario);
  EXPECT_NEAR(steps[0].duration.count, 0.281, kTiny);
  EXPECT_NEAR(steps[1].duration.count, 0.523, kTiny);
  EXPECT_NEAR(steps[1].parts.compute.count, 0.242, kTiny);
  EXPECT_NEAR(steps[1].parts.wait.count, 0.121, kTiny);
  EXPECT_NEAR(steps[2].start.count, 0.804, kTiny);
  EXPECT_NEAR(steps[2].duration.count, 0.281, kTiny);
}

TEST(Play, TheSlowestWorkerSetsThePace) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 1);
  scenario.cluster.speeds = {1, 0.5};
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.whole.step_time().count, 0.242 + 0.160, kTiny);
  EXPECT_NEAR(result.whole.parts.wait.count, 0.0605, kTiny);
}

TEST(Play, StepsAreReportedAsOftenAsAskedFor) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 10);
  scenario.simulation.output.steps_every = 4;
  std::vector<std::int64_t> reported;
  for (const StepRecord& step : steps_of(scenario)) reported.push_back(step.step);
  EXPECT_EQ(reported, (std::vector<std::int64_t>{0, 4, 8}));
}

TEST(Play, ProgressRisesToTheEndInAFewHundredReports) {
  std::vector<double> shares;
  Listeners listeners;
  listeners.progress = [&](double share) { shares.push_back(share); };
  ASSERT_TRUE(played(plain(2, {}, kSlow, 2000), listeners).has_value());
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_GT(shares.back(), 0.99);
  EXPECT_LE(shares.size(), 400U);
}

TEST(Play, BarsAreDrawnForTheFirstStepsOnly) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 10);
  scenario.simulation.output.timeline_steps = 3;
  std::int64_t last = -1;
  Listeners listeners;
  listeners.span = [&](const Span& span) { last = std::max(last, span.step); };
  ASSERT_TRUE(played(scenario, listeners).has_value());
  EXPECT_EQ(last, 2);
}

TEST(Play, AStopKeepsWhatIsFinished) {
  std::atomic<bool> stop{false};
  Listeners listeners;
  listeners.stop = &stop;
  listeners.step = [&](const StepRecord& step) { stop = step.step == 4; };
  const auto result = played(plain(2, {}, kSlow, 1000), listeners);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->ending, Ending::interrupted);
  EXPECT_EQ(result->whole.steps, 5);
}

TEST(Play, WhatAnEvaluatorRefusesEndsTheRunWithItsReason) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 10);
  scenario.simulation.evaluator = scenario::Evaluator::path;
  scenario.cluster.background = {{0, 1, std::nullopt, {}, std::nullopt, std::nullopt}};
  EXPECT_EQ(played(scenario, {}).error().text(),
            "network: background traffic shares the links; use `simgrid` or `auto`");
}

TEST(Play, AnUnknownLinkInAFailureIsRefused) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 10);
  scenario.cluster.failures = {{std::nullopt, "worker7_UP", 1_s, std::nullopt}};
  EXPECT_EQ(played(scenario, {}).error().what, "unknown link `worker7_UP`");
}

}  // namespace
}  // namespace sim::engine
