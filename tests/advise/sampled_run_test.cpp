// What is played in place of a whole training.
#include "sim/advise/sampled_run.hpp"

#include <gtest/gtest.h>

#include "policies/periodic.hpp"
#include "sim/advise/policy_simulation.hpp"
#include "tests/advise/asked.hpp"
#include "tests/source_tree.hpp"

namespace sim::advise {
namespace {

scenario::Scenario training(const std::string& settings = "") {
  std::vector<std::string> all{"advice.compression=[none]", "advice.collectives=[ring_allreduce]"};
  if (!settings.empty()) all.push_back(settings);
  return asked(by_hand, all).candidates.front().worlds.front();
}

TEST(SampledRun, ANetworkThatStaysAsItIsTakesAsManyStepsAsWanted) {
  const SampledRun sampled = sampled_run_of(training(), 1e6, 10, {0.084});
  EXPECT_EQ(sampled.scenario.training.steps, 10);
  EXPECT_FALSE(sampled.period);
}

TEST(SampledRun, RoundsOfLocalStepsAreWhole) {
  scenario::Scenario local = training();
  local.synchronisation = policies::synchronisation("periodic", policies::Periodic::Settings{.every = 7});
  EXPECT_EQ(sampled_run_of(local, 1e6, 10, {0.084}).scenario.training.steps, 14);
}

TEST(SampledRun, StatedMomentsComeSoonerByTheShareThatIsPlayed) {
  const SampledRun sampled = sampled_run_of(
      training("cluster.changes=[{at: step 40000, bandwidth: 2 Gbit/s}, {at: 1000 s, latency: 2 ms}]"), 1e5,
      10, {0.084});
  EXPECT_EQ(sampled.scenario.training.steps, 2000);
  EXPECT_EQ(sampled.scenario.cluster.changes[0].at.value, 800);
  EXPECT_DOUBLE_EQ(sampled.scenario.cluster.changes[1].at.value, 20);
}

TEST(SampledRun, AShortTrainingIsPlayedAsItIs) {
  const SampledRun sampled =
      sampled_run_of(training("cluster.changes=[{at: epoch 1, bandwidth: 2 Gbit/s}]"), 200, 10, {0.084});
  EXPECT_EQ(sampled.scenario.training.steps, 200);
  EXPECT_EQ(sampled.scenario.cluster.changes[0].at.value, 1);
}

TEST(SampledRun, APeriodIsPlayedOnce) {
  const std::string trace = "cluster.traces=[{file: " + tests::source_dir() +
                            "/scenarios/what_if/traces/evening_wan.csv, period: 10 min}]";
  EXPECT_EQ(sampled_run_of(training(trace), 1e6, 10, {1}).period->count, 600);
  EXPECT_DOUBLE_EQ(sampled_run_of(training(trace), 1e6, 10, {0.06}).period->count, 300);  // 5000 steps
  EXPECT_FALSE(sampled_run_of(training(trace), 4000, 10, {1}).period);  // a short training is played as it is
  EXPECT_EQ(sampled_run_of(training(trace), 4000, 10, {1}).scenario.training.steps, 4000);
}

// An estimate may be far above what steps take: they are then as many as the period holds.
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
  sampled.scenario.training.steps = 10;
  engine::LearnerShelf shelf(data_folder);
  engine::ClusterCache clusters;
  const auto played = simulate_sample(sampled, shelf, clusters);
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().what,
            "`10` steps end before the period of 60 s does, in which the network repeats itself");
  EXPECT_EQ(played.error().hint, "a shorter period, or a workload whose steps take longer");
}

// 60 % of the steps at 84 ms, 40 % at 12 + 30 + 24 ms: the sampled run must find what the whole training
// takes.
TEST(SampledRun, TakesTheTimeOfTheWholeTrainingPerStep) {
  const scenario::Scenario changing = training("cluster.changes=[{at: epoch 6, bandwidth: 2 Gbit/s}]");
  scenario::Scenario whole = changing;
  whole.training.epochs = 10;
  whole.training.samples = 128000;  // 1000 steps an epoch
  engine::LearnerShelf shelf(data_folder);
  engine::ClusterCache clusters;
  const auto played = simulate_sample(sampled_run_of(whole, 1e4, 10, {0.084}), shelf, clusters);
  ASSERT_TRUE(played) << played.error().text();
  EXPECT_NEAR(played->step.count, 0.6 * 0.084 + 0.4 * 0.060, 1e-4);
}

}  // namespace
}  // namespace sim::advise
