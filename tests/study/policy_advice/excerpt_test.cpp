// What is played in place of a whole training.
#include "sim/study/policy_advice/excerpt.hpp"

#include <gtest/gtest.h>

#include "sim/study/policy_advice/policy_play.hpp"
#include "tests/study/policy_advice/asked.hpp"

namespace sim::study::policy_advice {
namespace {

scenario::Scenario training(const std::string& settings = "") {
  std::vector<std::string> all{"advice.compression=[none]", "advice.collectives=[ring_allreduce]"};
  if (!settings.empty()) all.push_back(settings);
  return asked(by_hand, all).candidates.front().worlds.front();
}

TEST(Excerpt, ANetworkThatStaysAsItIsTakesAsManyStepsAsWanted) {
  const Excerpt excerpt = excerpt_of(training(), 1e6, 10, {0.084});
  EXPECT_EQ(excerpt.scenario.training.steps, 10);
  EXPECT_FALSE(excerpt.period);
}

TEST(Excerpt, RoundsOfLocalStepsAreWhole) {
  scenario::Scenario local = training();
  local.synchronisation.method = scenario::SynchronisationMethod::periodic;
  local.synchronisation.every = 7;
  EXPECT_EQ(excerpt_of(local, 1e6, 10, {0.084}).scenario.training.steps, 14);
}

TEST(Excerpt, StatedMomentsComeSoonerByTheShareThatIsPlayed) {
  const Excerpt excerpt = excerpt_of(
      training("cluster.changes=[{at: step 40000, bandwidth: 2 Gbit/s}, {at: 1000 s, latency: 2 ms}]"), 1e5,
      10, {0.084});
  EXPECT_EQ(excerpt.scenario.training.steps, 2000);
  EXPECT_EQ(excerpt.scenario.cluster.changes[0].at.value, 800);
  EXPECT_DOUBLE_EQ(excerpt.scenario.cluster.changes[1].at.value, 20);
}

TEST(Excerpt, AShortTrainingIsPlayedAsItIs) {
  const Excerpt excerpt =
      excerpt_of(training("cluster.changes=[{at: epoch 1, bandwidth: 2 Gbit/s}]"), 200, 10, {0.084});
  EXPECT_EQ(excerpt.scenario.training.steps, 200);
  EXPECT_EQ(excerpt.scenario.cluster.changes[0].at.value, 1);
}

TEST(Excerpt, APeriodIsPlayedOnce) {
  const std::string trace = "cluster.traces=[{file: " GRADSIM_SOURCE_DIR
                            "/scenarios/what_if/traces/evening_wan.csv, period: 10 min}]";
  EXPECT_EQ(excerpt_of(training(trace), 1e6, 10, {1}).period->count, 600);
  EXPECT_DOUBLE_EQ(excerpt_of(training(trace), 1e6, 10, {0.06}).period->count, 300);  // 5000 steps
  EXPECT_FALSE(excerpt_of(training(trace), 4000, 10, {1}).period);  // a short training is played as it is
  EXPECT_EQ(excerpt_of(training(trace), 4000, 10, {1}).scenario.training.steps, 4000);
}

// An estimate may be far above what steps take: they are then as many as the period holds.
TEST(Excerpt, APeriodIsPlayedToItsEndWhereStepsAreShort) {
  const std::string trace =
      "cluster.traces=[{file: " GRADSIM_SOURCE_DIR "/scenarios/what_if/traces/evening_wan.csv, period: 1 h}]";
  scenario::Scenario fast = training(trace);
  for (scenario::LinkTrace& one : fast.cluster.traces) {
    for (scenario::LinkTrace::Point& point : one.points) point.latency = netmodels::Seconds{1e-3};
  }
  engine::LearnerShelf shelf(data_folder);
  const auto played = play_excerpt(excerpt_of(fast, 1e6, 10, {1}), shelf);
  ASSERT_TRUE(played) << played.error().text();
  EXPECT_GT(played->steps, 20000);
  EXPECT_NEAR((played->step * played->steps).count, 3600, 0.3);
}

TEST(Excerpt, RefusesStepsThatEndBeforeThePeriodDoes) {
  Excerpt excerpt{training(), netmodels::Seconds{60}};
  excerpt.scenario.training.steps = 10;
  engine::LearnerShelf shelf(data_folder);
  const auto played = play_excerpt(excerpt, shelf);
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().what,
            "`10` steps end before the period of 60 s does, in which the network repeats itself");
  EXPECT_EQ(played.error().mend, "a shorter period, or a workload whose steps take longer");
}

// 60 % of the steps at 84 ms, 40 % at 12 + 30 + 24 ms: the excerpt must find what the whole training takes.
TEST(Excerpt, TakesTheTimeOfTheWholeTrainingPerStep) {
  const scenario::Scenario changing = training("cluster.changes=[{at: epoch 6, bandwidth: 2 Gbit/s}]");
  scenario::Scenario whole = changing;
  whole.training.epochs = 10;
  whole.training.samples = 128000;  // 1000 steps an epoch
  engine::LearnerShelf shelf(data_folder);
  const auto played = play_excerpt(excerpt_of(whole, 1e4, 10, {0.084}), shelf);
  ASSERT_TRUE(played) << played.error().text();
  EXPECT_NEAR(played->step.count, 0.6 * 0.084 + 0.4 * 0.060, 1e-4);
}

}  // namespace
}  // namespace sim::study::policy_advice
