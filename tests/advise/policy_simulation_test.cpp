// Candidates simulated, whole and sampled.
#include "sim/advise/policy_simulation.hpp"

#include <gtest/gtest.h>

#include "policies/local_steps.hpp"
#include "sim/engine/compression_cost.hpp"
#include "tests/advise/asked.hpp"
#include "tests/source_tree.hpp"

namespace sim::advise {

// The sampled run that replaces a whole training.

namespace {

scenario::Scenario training(const std::string& settings = "") {
  std::vector<std::string> all{"advice.compression=[none]", "advice.collectives=[ring_allreduce]"};
  if (!settings.empty()) all.push_back(settings);
  return asked(by_hand, all).candidates.front().worlds.front();
}

TEST(SampledRun, ANetworkThatStaysAsItIsTakesAsManyStepsAsWanted) {
  const SampledRun sampled = sampled_run_of(training(), 1e6, 10, {0.084});
  EXPECT_EQ(sampled.scenario.work.training.steps, 10);
  EXPECT_FALSE(sampled.period);
}

TEST(SampledRun, RoundsOfLocalStepsAreWhole) {
  scenario::Scenario local = training();
  local.exchange.synchronisation =
      policies::synchronisation("periodic", policies::Periodic::Settings{.every = 7});
  EXPECT_EQ(sampled_run_of(local, 1e6, 10, {0.084}).scenario.work.training.steps, 14);
}

TEST(SampledRun, StatedMomentsComeSoonerByTheShareThatIsPlayed) {
  const SampledRun sampled = sampled_run_of(
      training("cluster.changes=[{at: step 40000, bandwidth: 2 Gbit/s}, {at: 1000 s, latency: 2 ms}]"), 1e5,
      10, {0.084});
  EXPECT_EQ(sampled.scenario.work.training.steps, 2000);
  EXPECT_EQ(sampled.scenario.cluster.changes[0].at.value, 800);
  EXPECT_DOUBLE_EQ(sampled.scenario.cluster.changes[1].at.value, 20);
}

TEST(SampledRun, AShortTrainingIsPlayedAsItIs) {
  const SampledRun sampled =
      sampled_run_of(training("cluster.changes=[{at: epoch 1, bandwidth: 2 Gbit/s}]"), 200, 10, {0.084});
  EXPECT_EQ(sampled.scenario.work.training.steps, 200);
  EXPECT_EQ(sampled.scenario.cluster.changes[0].at.value, 1);
}

TEST(SampledRun, APeriodIsPlayedOnce) {
  const std::string trace = "cluster.traces=[{file: " + tests::source_dir() +
                            "/scenarios/what_if/traces/evening_wan.csv, period: 10 min}]";
  EXPECT_EQ(sampled_run_of(training(trace), 1e6, 10, {1}).period->count, 600);
  EXPECT_DOUBLE_EQ(sampled_run_of(training(trace), 1e6, 10, {0.06}).period->count, 300);  // 5000 steps
  EXPECT_FALSE(sampled_run_of(training(trace), 4000, 10, {1}).period);  // short: simulated in full
  EXPECT_EQ(sampled_run_of(training(trace), 4000, 10, {1}).scenario.work.training.steps, 4000);
}

// An estimate may be far above the step time: the period then bounds the steps.
TEST(SampledRun, APeriodIsPlayedToItsEndWhereStepsAreShort) {
  const std::string trace = "cluster.traces=[{file: " + tests::source_dir() +
                            "/scenarios/what_if/traces/evening_wan.csv, period: 1 h}]";
  scenario::Scenario fast = training(trace);
  for (scenario::LinkTrace& one : fast.cluster.traces) {
    for (scenario::LinkTrace::Point& point : one.points) point.latency = netmodels::Seconds{1e-3};
  }
  engine::LearnerShelf shelf(data_folder);
  engine::ClusterCache clusters;
  const auto played = simulate_sample(sampled_run_of(fast, 1e6, 10, {1}), shelf, clusters);
  ASSERT_TRUE(played) << played.error().text();
  EXPECT_GT(played->steps, 20000);
  EXPECT_NEAR((played->step * played->steps).count, 3600, 0.3);
}

TEST(SampledRun, RefusesStepsThatEndBeforeThePeriodDoes) {
  SampledRun sampled{training(), netmodels::Seconds{60}};
  sampled.scenario.work.training.steps = 10;
  engine::LearnerShelf shelf(data_folder);
  engine::ClusterCache clusters;
  const auto played = simulate_sample(sampled, shelf, clusters);
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().what,
            "`10` steps end before the period of 60 s does, with which the network repeats");
  EXPECT_EQ(played.error().hint, "a shorter period, or a workload whose steps take longer");
}

// 60 % of the steps at 84 ms, 40 % at 12 + 30 + 24 ms: the sampled run must find what the whole training
// takes.
TEST(SampledRun, TakesTheTimeOfTheWholeTrainingPerStep) {
  const scenario::Scenario changing = training("cluster.changes=[{at: epoch 6, bandwidth: 2 Gbit/s}]");
  scenario::Scenario whole = changing;
  whole.work.training.epochs = 10;
  whole.work.training.samples = 128000;  // 1000 steps an epoch
  engine::LearnerShelf shelf(data_folder);
  engine::ClusterCache clusters;
  const auto played = simulate_sample(sampled_run_of(whole, 1e4, 10, {0.084}), shelf, clusters);
  ASSERT_TRUE(played) << played.error().text();
  EXPECT_NEAR(played->step.count, 0.6 * 0.084 + 0.4 * 0.060, 1e-4);
}

}  // namespace

// Candidates simulated, and passed between processes.

namespace {

scenario::Scenario candidate_with(const std::string& more) {
  return asked(by_hand + more, {"advice.compression=[none]", "advice.collectives=[ring_allreduce]"})
      .candidates.front()
      .worlds.front();
}

TEST(PolicyPlay, ASampledRunGivesMeansPerStep) {  // 4 MB buffer: 2 (N-1)/N of it from each of 4 workers
  engine::LearnerShelf shelf(data_folder);
  engine::ClusterCache clusters;
  const auto played = simulate_sample(sampled_run_of(candidate_with(""), 200, 10, {0.084}), shelf, clusters);
  ASSERT_TRUE(played) << played.error().text();
  EXPECT_NEAR(played->step.count, 0.084, 1e-9);
  EXPECT_NEAR(played->parts.exchange.count, 0.054, 1e-9);
  EXPECT_NEAR(played->sent_by_all->count, 4 * 6e6, 1e-3);
  EXPECT_EQ(played->collective, "ring_allreduce");
  EXPECT_EQ(played->steps, 10);
}

TEST(PolicyPlay, ALiveTrainingEndsAtItsTarget) {
  engine::LearnerShelf shelf(data_folder);
  engine::ClusterCache clusters;
  const std::string live = "learner: {kind: live, target: 80 %, evaluate_every: 5}\n";
  const auto played = simulate_to_target(candidate_with(live), shelf, clusters);
  ASSERT_TRUE(played) << played.error().text();
  EXPECT_TRUE(played->reached);
  EXPECT_GE(*played->accuracy, 0.8);
  EXPECT_LT(played->steps, 59);  // of two epochs of 3823 samples
  EXPECT_EQ(played->learner.substr(0, 5), "live:");
}

TEST(PolicyPlay, ATargetOutOfReachIsNotReached) {
  engine::LearnerShelf shelf(data_folder);
  engine::ClusterCache clusters;
  const auto played =
      simulate_to_target(candidate_with("learner: {kind: live, target: 100 %}\n"), shelf, clusters);
  ASSERT_TRUE(played) << played.error().text();
  EXPECT_FALSE(played->reached);
  EXPECT_GT(*played->accuracy, 0.5);
}

// Five local steps share one exchange.
TEST(PolicyPlay, LocalStepsShareTheRangeOfTheirExchangesCompression) {
  engine::ClusterCache clusters;
  scenario::Scenario local =
      asked(by_hand, {"advice.compression=[topk]", "advice.collectives=[ring_allgather]"})
          .candidates.front()
          .worlds.front();
  local.exchange.synchronisation =
      policies::synchronisation("periodic", policies::Periodic::Settings{.every = 5});
  local.exchange.compression.times.clear();
  const auto whole =
      engine::CompressionCosts(local.exchange.compression, local.work.workload, local.work.device)
          .unstated_whole(static_cast<std::uint32_t>(local.cluster.workers));
  ASSERT_TRUE(whole);
  ASSERT_TRUE(whole->most);
  ASSERT_GT(*whole->most, whole->assumed);
  const auto ranged = with_compressing_range({}, local, clusters);
  ASSERT_TRUE(ranged) << ranged.error().text();
  EXPECT_DOUBLE_EQ(ranged->sooner.count, (whole->assumed - whole->least).count / 5);
  EXPECT_DOUBLE_EQ(ranged->later->count, (*whole->most - whole->assumed).count / 5);
}

TEST(PolicyPlay, WhatIsPackedIsUnpacked) {
  SimulatedPolicy played;
  played.step = {0.1};
  played.parts = {{1}, {2}, {3}, {4}, {5}};
  played.exchange_busy = {0.2};
  played.margin = {0.3};
  played.sent_by_all = netmodels::Bytes{7};
  played.collective = "ring_allreduce";
  played.steps = 8;
  played.accuracy = 0.9;
  played.reached = false;
  played.learner = "live";
  const SimulatedPolicy again = unpack_policy(pack(played));
  EXPECT_EQ(again.step, played.step);
  EXPECT_EQ(again.parts.compress, played.parts.compress);
  EXPECT_EQ(again.parts.stream_wait, played.parts.stream_wait);
  EXPECT_EQ(again.exchange_busy, played.exchange_busy);
  EXPECT_EQ(again.margin, played.margin);
  EXPECT_EQ(again.sent_by_all, played.sent_by_all);
  EXPECT_EQ(again.collective, played.collective);
  EXPECT_EQ(again.steps, played.steps);
  EXPECT_EQ(again.accuracy, played.accuracy);
  EXPECT_EQ(again.reached, played.reached);
  EXPECT_EQ(again.learner, played.learner);
  EXPECT_FALSE(unpack_policy(pack({})).sent_by_all);
}

}  // namespace
}  // namespace sim::advise
