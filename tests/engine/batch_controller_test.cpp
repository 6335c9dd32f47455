// Whole trainings on workers of different speed: what the policies make of them.
#include "sim/engine/batch_controller.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "policies/catalogue.hpp"
#include "policies/dynamic_batch.hpp"
#include "policies/selsync.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

constexpr double kNanosecond = 1e-9;

/// Three workers with 4, 11 and 24 cores: a step of 60 samples at speed 1 takes 720 ms (and 1 ms optimizer).
scenario::Scenario h6(std::string_view policy, std::int64_t steps) {
  scenario::Scenario scenario = plain(3, {}, {1e15}, steps);
  scenario.work.training.batch = 60;
  scenario.cluster.cores = {4, 11, 24};
  for (const double cores : scenario.cluster.cores) scenario.cluster.speeds.push_back(cores / 13);
  scenario.work.batching = *policies::find_batching(policy);
  return scenario;
}

TEST(BatchController, UniformWaitsForTheSlowestWorker) {
  const ArmResult result = result_of(h6("uniform", 5));
  EXPECT_NEAR(result.whole.step_time().count, 0.721 * 13 / 4, 1e-6);
  EXPECT_EQ(result.batches, (std::vector<int>{60, 60, 60}));
}

// 180 x 4/39 = 18.5, 50.8, 110.8: 18, 51, 111; the second takes (12 ms x 51 + 1 ms) 13/11.
TEST(BatchController, ProportionalIsEvenFromTheFirstStepOn) {
  const ArmResult result = result_of(h6("proportional", 5));
  EXPECT_EQ(result.batches, (std::vector<int>{18, 51, 111}));
  EXPECT_NEAR(result.whole.step_time().count, (0.012 * 51 + 0.001) * 13 / 11, 1e-6);
  EXPECT_EQ(result.batch_changes, 0);
}

TEST(BatchController, DynamicEqualisesStepTimesWithinTheDeadBandInThreeAdjustments) {
  const auto scenario = h6("dynamic", 100);
  const ArmResult result = result_of(scenario);
  EXPECT_GE(result.batch_changes, 1);
  EXPECT_LE(result.batch_changes, 3);
  const auto steps = steps_of(scenario);
  EXPECT_GT(steps.front().parts.wait / steps.front().parts.compute, 0.5);
  EXPECT_LT(steps.back().parts.wait / steps.back().parts.compute, 0.05);
  for (const StepRecord& step : steps) EXPECT_EQ(step.samples, 180);
}

TEST(BatchController, AChangeAfterTheFirstStepIsCounted) {
  scenario::Scenario scenario = h6("dynamic", 2);
  scenario.work.batching.edit<policies::DynamicBatch::Settings>().every = 1;
  const ArmResult result = result_of(scenario);
  EXPECT_NE(result.batches, (std::vector<int>{60, 60, 60}));
  EXPECT_EQ(result.batch_changes, 1);
}

TEST(BatchController, ARestartCostsTimeOutsideSteps) {
  auto scenario = h6("dynamic", 100);
  scenario.work.batching.edit<policies::DynamicBatch::Settings>().changes.restart = 30_s;
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.outside_steps.count, 30.0 * static_cast<double>(result.batch_changes), kNanosecond);
  scenario.work.batching = *policies::find_batching("proportional");  // decided before anything runs
  EXPECT_EQ(result_of(scenario).outside_steps, 0_s);
}

TEST(BatchController, ARestartAfterTheFirstStepCostsTimeToo) {
  scenario::Scenario scenario = h6("dynamic", 2);
  auto& settings = scenario.work.batching.edit<policies::DynamicBatch::Settings>();
  settings.every = 1;
  settings.changes.restart = 30_s;
  EXPECT_NEAR(result_of(scenario).outside_steps.count, 30, kNanosecond);
}

TEST(BatchController, DynamicFollowsSpeedsThatChange) {
  auto scenario = h6("dynamic", 200);
  scenario.cluster.speed_changes = {{{scenario::Moment::Unit::step, 100}, {1, 1, 1}, {}}};
  const ArmResult result = result_of(scenario);
  for (const int samples : result.batches) EXPECT_NEAR(samples, 60, 3);
  scenario.work.batching = *policies::find_batching("proportional");  // knows nothing of it
  EXPECT_EQ(result_of(scenario).batches, (std::vector<int>{18, 51, 111}));
}

TEST(BatchController, DbsAndLbBspFindTheSpeedsToo) {
  auto scenario = h6("lb_bsp", 60);
  EXPECT_LT(steps_of(scenario).back().parts.wait / steps_of(scenario).back().parts.compute, 0.05);
  scenario.work.batching = *policies::find_batching("dbs");
  scenario.work.training.samples = 1800;
  const auto steps = steps_of(scenario);
  EXPECT_GT(steps[9].parts.wait / steps[9].parts.compute, 0.5);  // the first epoch: ten steps
  EXPECT_LT(steps[10].parts.wait / steps[10].parts.compute, 0.05);
}

TEST(BatchController, AMemoryThatRefusesIsABound) {
  auto scenario = h6("proportional", 3);
  scenario.work.compute.batch_limits = {{{2}, 1, 70, scenario::BeyondMemory::refuse, 4}};
  EXPECT_EQ(result_of(scenario).batches.at(2), 70);
}

TEST(BatchController, AKneeAndAMemoryBendTheTimeOfAStep) {
  auto scenario = plain(1, {}, {1e15}, 1);
  scenario.work.compute.batch_limits = {{{}, 20, 40, scenario::BeyondMemory::slow, 5}};
  const auto step_time = [&](int batch) {
    scenario.work.training.batch = batch;
    return result_of(scenario).whole.step_time().count;
  };
  EXPECT_NEAR(step_time(10), 0.241, kNanosecond);  // as 20 samples of 12 ms, and the optimizer
  EXPECT_NEAR(step_time(20), 0.241, kNanosecond);
  EXPECT_NEAR(step_time(40), 0.481, kNanosecond);
  EXPECT_NEAR(step_time(50), 0.481 + 10 * 5 * 0.012, kNanosecond);
}

TEST(BatchController, GoesOnWithThoseWhoAreLeft) {
  auto scenario = h6("dynamic", 200);
  scenario.cluster.failures = {{2, std::nullopt, 40_s, {}}};
  const auto steps = steps_of(scenario);
  EXPECT_EQ(steps.back().workers, 2U);
  EXPECT_LT(steps.back().parts.wait / steps.back().parts.compute, 0.05);
}

TEST(BatchController, ALiveLearnerGetsEachWorkersShare) {
  auto scenario = h6("proportional", 3);
  scenario.learner.kind = learning::learners::live("mlp_32");
  auto stated = scenario;
  stated.work.batching = *policies::find_batching("uniform");
  stated.work.training.batches = {18, 51, 111};
  const auto ours = steps_of(scenario);
  const auto theirs = steps_of(stated);
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_EQ(ours[i].learning.value().loss, theirs[i].learning.value().loss);
}

TEST(BatchController, WorkersThatDoNotWaitAreBalancedToo) {
  auto scenario = h6("dynamic", 200);
  scenario.exchange.collective = "auto";
  scenario.exchange.synchronisation = policies::synchronisation("asp", policies::Asynchronous{});
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.batches.at(0), 18.5, 2);
  EXPECT_NEAR(result.batches.at(2), 110.8, 6);
  EXPECT_GT(result.batch_changes, 0);
}

TEST(BatchController, ComposesWithSelSyncSparseGradientsAndStreams) {
  auto scenario = h6("dynamic", 60);
  scenario.learner.kind = learning::learners::live("mlp_32");
  scenario.exchange.synchronisation = policies::synchronisation(
      "selsync", policies::SelSync::Settings{
                     .threshold = 0.1, .warmup_steps = 5, .averaged = policies::Averaged::gradients});
  scenario.exchange.compression = sent_as("topk", 0.1);
  scenario.exchange.collective = "auto";
  scenario.work.streams.emplace();
  scenario.work.streams->rates = {40, 60, 80};
  const ArmResult result = result_of(scenario);
  EXPECT_GT(result.local_steps, 0);
  EXPECT_GT(result.batch_changes, 0);
  EXPECT_GT(result.buffer.value().streamed, 60 * 180 - 180);
  EXPECT_GT(result.whole.parts.stream_wait, 0_s);
}

TEST(BatchController, ARunIsTheSameTwice) {
  auto scenario = h6("dynamic", 100);
  scenario.work.compute.jitter = {scenario::JitterKind::lognormal, 0.1, 0};
  EXPECT_EQ(result_of(scenario).time, result_of(scenario).time);
  EXPECT_EQ(result_of(scenario).batches, result_of(scenario).batches);
}

}  // namespace
}  // namespace sim::engine
