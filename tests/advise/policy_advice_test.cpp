// The advice on policies, from the states of links to the candidates that are left.
#include "sim/advise/policy_advice.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "sim/advise/policy_ranking.hpp"
#include "tests/advise/asked.hpp"
#include "tests/source_tree.hpp"

namespace sim::advise {

// States that networks go through.

namespace {

scenario::Cluster cluster(const std::string& settings = "") {
  std::vector<std::string> all{"advice.compression=[none]"};
  if (!settings.empty()) all.push_back(settings);
  return asked(by_hand, all).candidates.front().worlds.front().cluster;
}

std::vector<double> bandwidths(const scenario::Cluster& cluster) {
  std::vector<double> all;
  const auto states = link_states(cluster);
  for (const netmodels::LinkState& link : *states) all.push_back(link.bandwidth.count * 8);
  return all;
}

TEST(LinkStates, ANetworkThatStaysAsItIsHasOne) {
  EXPECT_EQ(bandwidths(cluster()), (std::vector<double>{1e9}));
}

TEST(LinkStates, ChangesFollowEachOther) {
  const auto changed =
      cluster("cluster.changes=[{at: epoch 1, bandwidth: 2 Gbit/s}, {at: 5 s, latency: 3 ms}]");
  EXPECT_EQ(bandwidths(changed), (std::vector<double>{1e9, 2e9, 2e9}));
  EXPECT_EQ(link_states(changed)->back().latency.count, 3e-3);
}

TEST(LinkStates, ATraceThatBeginsAtOnceReplacesWhatIsStated) {
  const auto traced = cluster("cluster.traces=[{file: " + tests::source_dir() +
                              "/scenarios/what_if/traces/evening_wan.csv}]");
  EXPECT_EQ(link_states(traced)->size(), 10U);
  EXPECT_EQ(bandwidths(traced)[1], 8e8);
}

TEST(LinkStates, ThereAreNoneWhereLinksDifferOrAreShared) {
  for (const std::string settings :
       {"cluster.worker_links=[{workers: [1], link: {latency: 1 ms, bandwidth: 1 Gbit/s}}]",
        "cluster.background=[{from: 0, to: 1}]",
        "cluster.changes=[{at: 1 s, workers: [1], bandwidth: 1 Gbit/s}]",
        "cluster.topology={kind: racks, workers_per_rack: 2, oversubscription: 2}", "cluster.preset=tcp-wan"})
    EXPECT_FALSE(link_states(cluster(settings))) << settings;
}

}  // namespace

// Advice on policies from end to end: figures by hand, and who wins where.

namespace {

const std::string small_advice =
    "advice: {objective: time, compression: [none, topk], ratios: [10 %], collectives: [ring_allreduce, "
    "tree_allreduce, "
    "ring_allgather]}\n";

// 200 steps of 30 ms; 4 MB over 1 Gbit/s and 1 ms:
//   dense by ring  6 (1 + 8) = 54 ms, by tree 4 (1 + 32) = 132 ms
//   top-k at 10 %  0.8 MB from each worker to each of three others: 3 (1 + 6.4) = 22.2 ms
TEST(PolicyAdvice, RanksATinyGridAsAPersonWould) {
  const scenario::PolicyQuestion question = asked(by_hand + small_advice);
  const AdvisedPolicies advised = answered(question);
  ASSERT_EQ(advised.played.size(), 2U);
  ASSERT_EQ(advised.pruned.size(), 1U);  // 162 ms is more than 17.5 % above 84 ms, also among the dense
  EXPECT_EQ(advised.pruned[0].candidate->collective, "tree_allreduce");
  EXPECT_NEAR(advised.pruned[0].at_least.count, 200 * 0.162, 1e-9);
  EXPECT_NEAR(played_with(advised, "topk", "ring_allgather").at_worst().time.count, 200 * 0.0522, 1e-9);
  EXPECT_NEAR(played_with(advised, "none", "ring_allreduce").at_worst().time.count, 200 * 0.084, 1e-9);
  const auto order = ranked(advised);
  EXPECT_EQ(advised.played[order[0]].candidate->compression, "topk");
  EXPECT_EQ(advised.played[order[1]].candidate->compression, "none");
  EXPECT_EQ(advised.chosen, order[0]);
  EXPECT_EQ(advised.best_dense, order[1]);
}

TEST(PolicyAdvice, DenseWinsOnAFastNetworkAndCompressionOnASlowOne) {
  const auto winner = [](const std::string& bandwidth) {
    const scenario::PolicyQuestion question = asked(
        "# Does it pay?\nworkload: resnet50_v100\ncluster: {workers: 16, link: {latency: 20 us, bandwidth: 1 "
        "Gbit/s}}\ntraining: {batch: 32, epochs: 1, samples: 128000}\nadvice: {objective: time}\n",
        {"cluster.link.bandwidth=" + bandwidth});
    const AdvisedPolicies advised = answered(question);
    return advised.played[*advised.chosen].candidate->compression;
  };
  EXPECT_EQ(winner("400 Gbit/s"), "none");
  EXPECT_NE(winner("1 Gbit/s"), "none");
}

TEST(PolicyAdvice, TheWorstNetworkDecides) {  // fast: dense is best; slow: top-k is
  const std::string text =
      by_hand +
      "advice: {objective: time, tie: 0, compression: [none, {method: topk, ratio: 50 %}], "
      "collectives: [ring_allreduce, ring_allgather], networks: {slow: {}, fast: {link: {latency: "
      "10 us, bandwidth: 100 Gbit/s}}}}\n";
  const scenario::PolicyQuestion question = asked(text);
  const AdvisedPolicies advised = answered(question);
  const AdvisedPolicy& dense = played_with(advised, "none", "ring_allreduce");
  EXPECT_EQ(dense.worst, 0U);
  EXPECT_NEAR(dense.outcomes[0].time.count, 200 * 0.084, 1e-9);
  EXPECT_NEAR(dense.outcomes[1].time.count, 200 * (0.030 + 6 * (1e-5 + 8e-5)), 1e-9);
  EXPECT_EQ(advised.played[*advised.chosen].candidate->compression, "none");  // 4 MB from each: 3 (1 + 32) ms
}

TEST(PolicyAdvice,
     CostIsOfMachinesAndOfBytes) {  // 4 workers at 0.36 USD/h, 16.8 s; 200 x 24 MB at 1 USD a GB
  const scenario::PolicyQuestion question = asked(
      by_hand + small_advice, {"advice.price={per_machine: 0.36 USD/h}", "advice.price_per_gigabyte=1 USD"});
  const AdvisedPolicies advised = answered(question);
  EXPECT_TRUE(advised.pruned.empty());
  EXPECT_NEAR(played_with(advised, "none", "ring_allreduce").at_worst().cost->count, 4 * 16.8 * 1e-4 + 4.8,
              1e-9);
}

TEST(PolicyAdvice, BatchesTakeTheirStepsByTheLaw) {
  const scenario::PolicyQuestion question =
      asked(by_hand + "learner: {kind: parametric, file: resnet50_imagenet, target: 74 %}\n",
            {"training={batch: 64, epochs: 200, samples: 1281167}", "advice.batches=[64, 512, 8000]",
             "advice.compression=[none]", "advice.collectives=[ring_allreduce]", "advice.steps=5"});
  const AdvisedPolicies advised = answered(question);
  ASSERT_EQ(advised.left_out.size(), 1U);
  EXPECT_EQ(advised.left_out.front().reason, "the learner does not cover a batch of `8000` per worker");
  ASSERT_EQ(advised.played.size(), 1U);  // the closed forms leave one of the two
  EXPECT_EQ(advised.learner.substr(0, 16), "parametric model");
}

TEST(PolicyAdvice, WhatWasNotMeasuredIsNotHeldAgainstWhatWas) {
  scenario::PolicyQuestion question =
      asked(by_hand +
            "advice: {objective: time, compression: [none, topk, gaussiank], ratios: [10 %], "
            "collectives: [ring_allreduce, ring_allgather]}\n");
  for (scenario::PolicyCandidate& candidate : question.candidates)
    for (scenario::Scenario& world : candidate.worlds)
      world.exchange.compression.kernels.rows = {{"topk", {{1e-3}, {0}, {0}}, 0.05, 1000, 1000000}};
  const AdvisedPolicies advised = answered(question);
  const auto unknown = std::ranges::find(
      advised.left_out, "no time of compressing by gaussiank is stated, measured or published",
      &scenario::LeftOut::reason);
  ASSERT_NE(unknown, advised.left_out.end());
  EXPECT_EQ(unknown->combinations, 1U);
  for (const AdvisedPolicy& policy : advised.played) EXPECT_NE(policy.candidate->compression, "gaussiank");
  EXPECT_EQ(played_with(advised, "topk", "ring_allgather").candidate->compression, "topk");
}

TEST(PolicyAdvice, ALiveLearnerIsTrainedToItsTarget) {
  const scenario::PolicyQuestion question =
      asked(by_hand + "learner: {kind: live, target: 80 %, evaluate_every: 5}\n",
            {"advice.synchronisation=[bsp, periodic]", "advice.compression=[none, topk, qsgd]",
             "advice.ratios=[1 %]", "advice.collectives=[ring_allreduce, tree_allreduce, ring_allgather]"});
  const AdvisedPolicies advised = answered(question);
  for (const AdvisedPolicy& policy : advised.played) {
    EXPECT_EQ(policy.steps.known, StepsKnown::learned);
    EXPECT_TRUE(!policy.reached || *policy.steps.accuracy >= 0.8);
  }
  EXPECT_EQ(advised.pruned.size(), 1U);  // bsp by tree: it learns what the ring does, and takes longer
  ASSERT_TRUE(advised.chosen);
  EXPECT_EQ(advised.learner.substr(0, 5), "live:");
}

// The choice of indices changes learning; by time only, the second would be far ahead.
TEST(PolicyAdvice, EntriesOfOneMethodAreCoursesOfTheirOwn) {
  const scenario::PolicyQuestion question =
      asked(by_hand + "learner: {kind: live, target: 80 %, evaluate_every: 5}\n",
            {"advice.synchronisation=[bsp]",
             "advice.compression=[none, {method: ar_topk, selection: staleness, time: 500 ms}, {method: "
             "ar_topk, selection: variance, time: 1 ms}]",
             "advice.ratios=[10 %]", "advice.collectives=[ring_allreduce]"});
  const AdvisedPolicies advised = answered(question);
  EXPECT_EQ(advised.played.size(), 3U);
  EXPECT_TRUE(advised.pruned.empty());
}

TEST(PolicyAdvice, TheSameQuestionHasTheSameAnswer) {
  const scenario::PolicyQuestion question =
      asked(by_hand, {"compute.jitter={distribution: lognormal, sigma: 0.2}"});
  const AdvisedPolicies one = answered(question);
  const AdvisedPolicies other = answered(question);
  ASSERT_EQ(one.played.size(), other.played.size());
  for (std::size_t i = 0; i < one.played.size(); ++i)
    EXPECT_EQ(one.played[i].at_worst().time, other.played[i].at_worst().time);
  EXPECT_EQ(one.chosen, other.chosen);
}

TEST(PolicyAdvice, SharedLinksLeaveNothingToClosedForms) {
  const scenario::PolicyQuestion question = asked(
      by_hand + small_advice, {"cluster.topology={kind: racks, workers_per_rack: 2, oversubscription: 2}"});
  const AdvisedPolicies advised = answered(question);
  EXPECT_FALSE(advised.closed_forms);
  EXPECT_EQ(advised.played.size(), 3U);
}

}  // namespace
}  // namespace sim::advise
