// Which candidate is the advice.
#include "sim/advise/policy_ranking.hpp"

#include <gtest/gtest.h>

#include "tests/advise/asked.hpp"

namespace sim::advise {
namespace {

using policies::PlanningObjective;

/// Candidates with made-up figures: dense, fp16, top-k at 10 % and at 1 %.
class PolicyRanking : public testing::Test {
 protected:
  PolicyRanking()
      : question_(asked(by_hand, {"advice.compression=[none, fp16, topk]", "advice.ratios=[10 %, 1 %]",
                                  "advice.collectives=[ring_allreduce, ring_allgather]"})) {}

  AdvisedPolicies advised(const std::vector<double>& times, const std::vector<double>& costs = {}) {
    AdvisedPolicies all;
    all.question = &question_;
    for (std::size_t i = 0; i < times.size(); ++i) {
      AdvisedPolicy& one = all.played.emplace_back();
      one.candidate = &question_.candidates[i];
      one.dense = i == 0;
      one.steps.known = i == 0 ? StepsKnown::stated : StepsKnown::assumed;
      PolicyOutcome& outcome = one.outcomes.emplace_back();
      outcome.time = {times[i]};
      if (!costs.empty()) outcome.cost = netmodels::Dollars{costs[i]};
    }
    return all;
  }

  scenario::PolicyQuestion question_;
};

TEST_F(PolicyRanking, TheFastestIsTheAdviceWhereNothingComesNear) {
  EXPECT_EQ(choose_policy(advised({100, 80, 60, 40}).played, PlanningObjective::time, 0.05), 3U);
}

TEST_F(PolicyRanking, DenseWinsATie) {
  EXPECT_EQ(choose_policy(advised({104, 101, 100, 103}).played, PlanningObjective::time, 0.05), 0U);
  EXPECT_EQ(choose_policy(advised({106, 101, 100, 103}).played, PlanningObjective::time, 0.05), 1U);
  EXPECT_EQ(choose_policy(advised({106, 106, 103, 100}).played, PlanningObjective::time, 0.05), 2U);
}

TEST_F(PolicyRanking, ErrorBarsThatOverlapAreATie) {
  AdvisedPolicies all = advised({110, 120, 120, 100});
  EXPECT_EQ(choose_policy(all.played, PlanningObjective::time, 0.05), 3U);
  all.played[0].outcomes[0].margin = {6};
  all.played[3].outcomes[0].margin = {4};
  EXPECT_EQ(choose_policy(all.played, PlanningObjective::time, 0.05), 0U);
}

TEST_F(PolicyRanking, ObjectivesMayDisagreeWhereBytesCost) {
  const AdvisedPolicies all = advised({100, 60, 50, 45}, {4, 5, 6, 20});
  EXPECT_EQ(choose_policy(all.played, PlanningObjective::time, 0), 3U);
  EXPECT_EQ(choose_policy(all.played, PlanningObjective::cost, 0), 0U);
  EXPECT_EQ(choose_policy(all.played, PlanningObjective::knee, 0), 2U);  // 1 - 5/55 - 2/16 is deepest
}

TEST_F(PolicyRanking, TheWorstNetworkCounts) {
  AdvisedPolicies all = advised({100, 90, 80, 10});
  all.played[3].outcomes.push_back(all.played[3].outcomes.front());
  all.played[3].outcomes[1].time = {500};
  all.played[3].worst = 1;
  EXPECT_EQ(choose_policy(all.played, PlanningObjective::time, 0), 2U);
}

TEST_F(PolicyRanking, WhatDoesNotReachTheTargetIsNoAdvice) {
  AdvisedPolicies all = advised({100, 90, 80, 10});
  all.played[3].reached = false;
  all.chosen = choose_policy(all.played, PlanningObjective::time, 0);
  EXPECT_EQ(all.chosen, 2U);
  EXPECT_EQ(ranked(all), (std::vector<std::size_t>{2, 1, 0, 3}));
  for (AdvisedPolicy& policy : all.played) policy.reached = false;
  EXPECT_EQ(choose_policy(all.played, PlanningObjective::time, 0), std::nullopt);
}

TEST_F(PolicyRanking, TheAdviceStandsFirstThoughOthersAreFaster) {
  AdvisedPolicies all = advised({104, 101, 100, 103});
  all.chosen = 0;
  EXPECT_EQ(ranked(all), (std::vector<std::size_t>{0, 2, 1, 3}));
  EXPECT_EQ(best_dense(all.played, PlanningObjective::time), 0U);
}

}  // namespace
}  // namespace sim::advise
