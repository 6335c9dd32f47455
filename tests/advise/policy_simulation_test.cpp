// Candidates played, and passed between processes.
#include "sim/advise/policy_simulation.hpp"

#include <gtest/gtest.h>

#include "tests/advise/asked.hpp"

namespace sim::advise {
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
