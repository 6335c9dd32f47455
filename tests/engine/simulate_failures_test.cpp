// Failures by hand: the step that is lost, the recovery, and who goes on.
#include <gtest/gtest.h>

#include "sim/engine/simulate.hpp"
#include "sim/report/reason_text.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

constexpr double kThree = 0.121 + 4 * 0.16 / 3;  // a step of three workers: 4 messages of 16/3 MB
constexpr double kTwo = 0.121 + 2 * 0.08;        // a step of two

/// Three workers, four steps, something breaks at 500 ms: in the second step.
scenario::Scenario breaking(std::optional<int> worker, std::optional<std::string> link = {},
                            std::optional<netmodels::Seconds> until = {}) {
  scenario::Scenario scenario = plain(3, {}, kSlow, 4);
  scenario.cluster.failures = {{worker, std::move(link), {0.5}, until}};
  return scenario;
}

TEST(Failures,
     ALostWorkerCostsTheStepTheRecoveryAndItsShare) {  // one step of three, 10 s, three steps of two
  scenario::Scenario scenario = breaking(1);
  scenario.cluster.recovery = 10_s;
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.time.count, 10.5 + 3 * kTwo, kTiny);
  EXPECT_NEAR(result.outside_steps.count, 10.5 - kThree, kTiny);
  EXPECT_EQ(result.whole.steps, 4);
  EXPECT_EQ(result.ending, Ending::finished);
  ASSERT_EQ(result.events.size(), 1U);
  EXPECT_EQ(result.events[0].at, 0.5_s);
  EXPECT_EQ(report::reason_text(result.events[0].what), "worker 1 failed: 2 workers continue at 10.5 s");
}

TEST(Failures, TheStepsAfterALossKnowHowManyWorkersThereAre) {
  const auto steps = steps_of(breaking(1));
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[0].workers, 3U);
  EXPECT_EQ(steps[1].workers, 2U);
  EXPECT_EQ(steps[1].start, 0.5_s);
  EXPECT_NEAR(steps[0].sent->count, 16e6 * 4 / 3, 1e-6);
  EXPECT_NEAR(steps[1].sent->count, 16e6, 1e-6);
}

TEST(Failures, WhoIsLeftRestoresTheMessagesOfWhoIsLeft) {  // 1 ms, and 2 ms of each other one
  scenario::Scenario scenario = breaking(1);
  scenario.exchange.compression = sent_as("topk", 0.2);
  scenario.exchange.compression.kernels.rows = {
      {.method = "topk", .cost = {1_ms, {}, {}}, .restoring = {{0.2, 2_ms, {}}}}};
  const auto steps = steps_of(scenario);
  EXPECT_NEAR(steps.front().parts.compress.count, 0.005, kTiny);
  EXPECT_EQ(steps.back().workers, 2U);
  EXPECT_NEAR(steps.back().parts.compress.count, 0.003, kTiny);
}

TEST(Failures, TimeIsStepsAndWhatLiesOutside) {
  scenario::Scenario scenario = breaking(1);
  scenario.cluster.recovery = 10_s;
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR((result.whole.time + result.outside_steps).count, result.time.count, kTiny);
}

TEST(Failures, ALinkThatComesBackStopsAllUntilThen) {  // until 3 s, recovery 1 s, then three steps of three
  scenario::Scenario scenario = breaking(std::nullopt, "worker1", 3_s);
  scenario.cluster.recovery = 1_s;
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.time.count, 4 + 3 * kThree, kTiny);
  EXPECT_EQ(report::reason_text(result.events.at(0).what), "link worker1 failed: 3 workers continue at 4 s");
}

TEST(Failures, OfManyTheFirstHundredAreListed) {  // one each second; 400 steps take longer than 101 s
  scenario::Scenario scenario = plain(3, {}, kSlow, 400);
  for (int second = 1; second <= 101; ++second) {
    const netmodels::Seconds at{1.0 * second};
    scenario.cluster.failures.push_back({std::nullopt, "worker1", at, at + 100_ms});
  }
  const ArmResult result = result_of(scenario);
  ASSERT_EQ(result.events.size(), 100U);
  EXPECT_EQ(result.events.back().at, 100_s);
}

TEST(Failures, ALinkThatStaysDownIsALostWorker) {
  EXPECT_NEAR(result_of(breaking(std::nullopt, "worker1")).time.count, 0.5 + 3 * kTwo, kTiny);
}

TEST(Failures, TrainingStopsWhereTheScenarioSaysSo) {
  scenario::Scenario scenario = breaking(1);
  scenario.cluster.on_failure = scenario::OnFailure::stop;
  const ArmResult result = result_of(scenario);
  EXPECT_EQ(result.ending, Ending::stopped_by_failure);
  EXPECT_EQ(result.time, 0.5_s);
  EXPECT_EQ(result.whole.steps, 1);
  EXPECT_EQ(report::reason_text(result.events.at(0).what), "worker 1 failed: training stops");
}

TEST(Failures, TrainingGoesOnWithoutARackWhoseLinkStaysDown) {
  scenario::Scenario scenario = plain(4, {}, kSlow, 4);
  scenario.cluster.topology = scenario::topology("racks", scenario::Racks{2, 1});
  scenario.cluster.failures = {{std::nullopt, "rack1", {0.05}, std::nullopt}};
  const ArmResult result = result_of(scenario);
  EXPECT_EQ(result.ending, Ending::finished);
  EXPECT_EQ(report::reason_text(result.events.at(0).what), "link rack1 failed: 2 workers continue at 50 ms");
}

TEST(Failures, WhoIsLostAlreadyCostsNoSecondRecovery) {
  scenario::Scenario scenario = breaking(1);
  scenario.cluster.recovery = 10_s;
  const double once = result_of(scenario).time.count;
  scenario.cluster.failures.push_back({std::nullopt, "worker1", {10.6}, std::nullopt});
  EXPECT_NEAR(result_of(scenario).time.count, once, kTiny);
}

TEST(Failures, ALinkThatIsUpAgainBeforeTrainingGoesOnCostsNothing) {
  scenario::Scenario scenario = breaking(1);
  scenario.cluster.recovery = 10_s;
  const double once = result_of(scenario).time.count;
  scenario.cluster.failures.push_back({std::nullopt, "worker2", 5_s, 6_s});
  EXPECT_NEAR(result_of(scenario).time.count, once, kTiny);
}

TEST(Failures, TheLastWorkerGoesOnAlone) {
  scenario::Scenario scenario = breaking(1);
  scenario.cluster.failures.push_back({2, std::nullopt, {0.6}, std::nullopt});
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.time.count, 0.6 + 3 * 0.121, kTiny);
  EXPECT_EQ(report::reason_text(result.events.at(1).what), "worker 2 failed: 1 workers continue at 600 ms");
}

TEST(Failures, TrainingStopsWhereNobodyIsLeft) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 4);
  scenario.cluster.workers_per_node = 2;
  scenario.cluster.inner_link = netmodels::LinkState{{}, kSlow};
  scenario.cluster.failures = {{std::nullopt, "node0", {0.5}, std::nullopt}};
  const ArmResult result = result_of(scenario);
  EXPECT_EQ(result.ending, Ending::stopped_by_failure);
  EXPECT_EQ(report::reason_text(result.events.at(1).what), "no workers left: training stops");
}

TEST(Failures, AFailureDuringARecoveryStartsItOver) {
  scenario::Scenario scenario = breaking(1);
  scenario.cluster.recovery = 10_s;
  scenario.cluster.failures.push_back({2, std::nullopt, 2_s, std::nullopt});
  EXPECT_NEAR(result_of(scenario).time.count, 12 + 3 * 0.121, kTiny);
}

// The lost step would have run on beyond the change at 200 ms; the step after the loss begins before it.
// Rings of two: 20 ms + 10 ms at 100 MB/s and 1 MB at 10 MB/s, then three times 400 ms; 170 ms from 50 ms on
// before.
TEST(Failures, WhatALostStepWouldHaveSeenOfTheNetworkIsForgotten) {
  scenario::Scenario scenario = layer_by_layer(3, {}, kSlow, 1);
  scenario.cluster.changes = {at_time({0.2}, netmodels::Bandwidth{10e6})};
  scenario.cluster.failures = {{2, std::nullopt, {0.05}, std::nullopt}};
  EXPECT_NEAR(result_of(scenario).time.count, 0.17 + 0.03 + 0.1 + 3 * 0.4 + 0.001, kTiny);
}

}  // namespace
}  // namespace sim::engine
