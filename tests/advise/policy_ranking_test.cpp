// Which candidates are pruned, and how the others are ranked.
#include "sim/advise/policy_ranking.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/advise/policy_text.hpp"
#include "tests/advise/asked.hpp"
#include "tests/source_tree.hpp"

namespace sim::advise {

// Which candidates to simulate.

namespace {

PricedPolicy priced(std::vector<double> times, std::size_t loop = 0, bool dense = false) {
  PricedPolicy one;
  for (const double time : times) one.times.push_back({time});
  one.loop = loop;
  one.dense = dense;
  return one;
}

using Kept = std::vector<bool>;

TEST(PolicyPruning, DropsWhatAnotherBeatsByTheMarginInEveryState) {
  const std::vector all{priced({100, 10}), priced({111, 11.1}), priced({109, 11.1}), priced({200, 9})};
  EXPECT_EQ(within_reach(all, false, 0.1), (Kept{true, false, true, true}));
}

TEST(PolicyPruning, KeepsTheBestDenseOne) {
  const std::vector all{priced({10}), priced({50}, 0, true), priced({100}, 0, true)};
  EXPECT_EQ(within_reach(all, false, 0.1), (Kept{true, true, false}));
}

TEST(PolicyPruning, ComparesCoursesOnlyWhereTheirStepsAreKnown) {
  const std::vector all{priced({10}, 1), priced({50}, 2), priced({100}, 2)};
  EXPECT_EQ(within_reach(all, false, 0.1), (Kept{true, false, false}));
  EXPECT_EQ(within_reach(all, true, 0.1), (Kept{true, true, false}));
}

TEST(PolicyPruning, WhatHasNoClosedFormBeatsNobodyAndIsBeatenByNobody) {
  const std::vector all{priced({}), priced({10}), priced({20})};
  EXPECT_EQ(within_reach(all, false, 0.1), (Kept{true, true, false}));
}

/// The fastest of a grid on one network, every candidate simulated.
std::string exhaustive_winner(const scenario::PolicyQuestion& question) {
  engine::LearnerShelf shelf(data_folder);
  engine::ClusterCache clusters;
  std::string winner;
  netmodels::Seconds best{1e300};
  for (const scenario::PolicyCandidate& candidate : question.candidates) {
    const auto played = simulate_sample(
        sampled_run_of(candidate.worlds.front(), 5000, question.advice.steps, {0.1}), shelf, clusters);
    EXPECT_TRUE(played) << played.error().text();
    if (played->step >= best) continue;
    best = played->step;
    winner = candidate.compression + std::to_string(candidate.ratio.value_or(1)) + candidate.collective;
  }
  return winner;
}

TEST(PolicyPruning, NeverDropsTheWinnerOfAnExhaustiveGrid) {
  const std::string text =
      "# Does it pay?\nworkload: resnet50_v100\ncluster: {workers: 8, link: {latency: 1 ms, bandwidth: 5 "
      "Gbit/s}}\n"
      "training: {batch: 32, epochs: 25, samples: 51200}\n"
      "compression: {times: [{method: int8, time: 1 ms}]}\nadvice: {steps: 8, ratios: [10 %, 1 %], "
      "collectives: "
      "[ring_allreduce, tree_allreduce, halving_doubling_allreduce, ring_allgather, "
      "recursive_doubling_allgather, "
      "ar_topk_ring], compression: [none, fp16, int8, topk, ar_topk]}\n";
  const std::vector<std::vector<std::string>> networks{
      {"cluster.link={latency: 10 us, bandwidth: 100 Gbit/s}"},
      {"cluster.link={latency: 10 us, bandwidth: 1 Gbit/s}"},
      {"cluster.link={latency: 20 ms, bandwidth: 10 Gbit/s}"},
      {"cluster.changes=[{at: epoch 5, bandwidth: 200 Mbit/s}, {at: epoch 20, bandwidth: 50 Gbit/s}]"},
      {"compute.jitter={distribution: lognormal, sigma: 0.3}", "seed=1"},
      {"compute.jitter={distribution: lognormal, sigma: 0.3}", "seed=2"},
      {"compute.jitter={distribution: exponential, scale: 0.5}", "seed=3", "cluster.link.bandwidth=1 Gbit/s"},
      {"cluster.traces=[{file: " + tests::source_dir() +
       "/scenarios/what_if/traces/evening_wan.csv, period: 10 min}]"}};
  std::size_t dropped = 0;
  for (const auto& settings : networks) {
    const scenario::PolicyQuestion question = asked(text, settings);
    const std::string winner = exhaustive_winner(question);
    const AdvisedPolicies advised = answered(question);
    dropped += advised.pruned.size();
    const bool kept = std::ranges::any_of(advised.played, [&](const AdvisedPolicy& policy) {
      const scenario::PolicyCandidate& one = *policy.candidate;
      return one.compression + std::to_string(one.ratio.value_or(1)) + one.collective == winner;
    });
    EXPECT_TRUE(kept) << settings.front() << ": " << winner;
  }
  EXPECT_GT(dropped, 40U);  // or nothing was shown
}

}  // namespace

// Which candidate is the advice.

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

TEST_F(PolicyRanking, TheTimeOfCompressingMayTurnTheAdvice) {
  AdvisedPolicies all = advised({100, 90, 80, 70});
  all.played[3].outcomes[0].least = CompressingOutcome{netmodels::Seconds{60}, {}};
  all.played[3].outcomes[0].most = CompressingOutcome{netmodels::Seconds{150}, {}};
  const auto choice = [&](CompressingTime compressing) {
    return choose_policy(all.played, PlanningObjective::time, 0, compressing);
  };
  EXPECT_EQ(choice(CompressingTime::least), 3U);
  EXPECT_EQ(choice(CompressingTime::assumed), 3U);
  EXPECT_EQ(choice(CompressingTime::most), 2U);
  all.chosen = 3;
  all.chosen_if_least = 3;
  all.chosen_if_most = 2;
  EXPECT_THAT(
      policy_sentence(all),
      testing::EndsWith(". If compressing takes the most time that is possible, use topk at 10 % by " +
                        all.played[2].candidate->collective + ", batch 32: 80 s"));
}

TEST_F(PolicyRanking, ABoundIsNoAdviceWhereAnythingElseIsKnown) {
  AdvisedPolicies all = advised({100, 90, 80, 10});
  all.played[3].outcomes[0].played.later.reset();
  EXPECT_EQ(choose_policy(all.played, PlanningObjective::time, 0), 2U);
  for (AdvisedPolicy& policy : all.played) policy.outcomes[0].played.later.reset();
  all.chosen = choose_policy(all.played, PlanningObjective::time, 0);
  EXPECT_EQ(all.chosen, 3U);
  EXPECT_THAT(policy_sentence(all), testing::HasSubstr("Its time of compressing is a floor"));
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
