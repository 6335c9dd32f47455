// Sentences on policies.
#include <algorithm>

#include <gtest/gtest.h>

#include "sim/advise/policy_ranking.hpp"
#include "sim/advise/policy_text.hpp"
#include "tests/advise/asked.hpp"

namespace sim::advise {
namespace {

std::string reason_for(const AdvisedPolicies& advised, const std::string& compression,
                       const std::string& collective) {
  const AdvisedPolicy& policy = played_with(advised, compression, collective);
  return policy_reason(advised, static_cast<std::size_t>(&policy - advised.played.data()));
}

bool says(const std::vector<std::string>& notes, const std::string& text) {
  return std::ranges::any_of(notes,
                             [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST(PolicyReasons, TellWhichPartShrankAndByHowMuch) {
  const scenario::PolicyQuestion question =
      asked(by_hand, {"advice={objective: time, compression: [none, topk], ratios: [10 %], collectives: "
                      "[ring_allreduce, ring_allgather]}"});
  const AdvisedPolicies advised = answered(question);
  EXPECT_EQ(policy_sentence(advised),
            "use topk at 10 % by ring_allgather, batch 32: about 10.44 s. The best plain dense one, by "
            "ring_allreduce with batch 32, takes 16.8 s: 1.61 times as long, if the advice needs no more "
            "steps");  // compressing is stated to be free
  EXPECT_EQ(reason_for(advised, "topk", "ring_allgather"),
            "the advice: shortest time; 37.9 % faster than the best dense: exposed communication: 22.2 ms "
            "instead of 54 ms a step; all workers send 9.6 MB a step instead of 24 MB");
  EXPECT_EQ(reason_for(advised, "none", "ring_allreduce"),
            "60.9 % slower than the advice: exposed communication: 54 ms instead of 22.2 ms a step; all "
            "workers send 24 MB a step instead of 9.6 MB");
}

TEST(PolicyReasons, TellOfLatencyAndOfGatheringThatGrows) {
  const scenario::PolicyQuestion question =
      asked(by_hand,
            {"advice={objective: time, tie: 0, compression: [none, topk], ratios: [1 %, 100 %], collectives: "
             "[ring_allgather, halving_doubling_allreduce, ring_allreduce]}",
             "cluster.link={latency: 30 ms, bandwidth: 1 Gbit/s}"});
  const AdvisedPolicies advised = answered(question);
  EXPECT_NE(
      reason_for(advised, "none", "halving_doubling_allreduce").find("71.4 % of its exchange is latency"),
      std::string::npos)
      << reason_for(advised, "none", "halving_doubling_allreduce");
}

TEST(PolicyReasons, SayPlainlyThatDenseWins) {
  const scenario::PolicyQuestion question =
      asked(by_hand, {"advice={objective: time, compression: [none, topk], ratios: [10 %], collectives: "
                      "[ring_allreduce, ring_allgather]}",
                      "cluster.link={latency: 10 us, bandwidth: 100 Gbit/s}"});
  const AdvisedPolicies advised = answered(question);
  EXPECT_EQ(policy_sentence(advised),
            "use dense by ring_allreduce, batch 32: about 6.108 s. Plain dense all-reduce wins: the "
            "fastest, topk at 10 % by ring_allgather, batch 32, is only 1.0 % faster");
  EXPECT_EQ(reason_for(advised, "none", "ring_allreduce"),
            "the advice: the simplest within 7.5 % of the best");
}

TEST(PolicyReasons, NotesSayWhatTheFiguresRestOn) {
  const scenario::PolicyQuestion question =
      asked(by_hand, {"advice={objective: time, compression: [none, topk], ratios: [10 %], collectives: "
                      "[ring_allreduce, tree_allreduce, ring_allgather], price: {per_machine: 1 USD/h}}"});
  const std::vector<std::string> notes = policy_notes(answered(question));
  EXPECT_TRUE(says(
      notes, "3 candidates: 2 simulated, 1 not, because by closed forms another is more than 17.5 % faster"));
  EXPECT_TRUE(
      says(notes, "3 combinations left out, such as: `exchange.collective`: `ring_allgather` cannot carry"));
  EXPECT_TRUE(says(notes, "up to 100 steps of each candidate were simulated"));
  EXPECT_TRUE(
      says(notes, "compression and local steps are taken to cost no extra steps, which is not shown"));
  EXPECT_TRUE(says(notes, "no learner, every batch is taken to need the stated epochs"));
  EXPECT_TRUE(says(notes, "cost is time times the price of the cluster, so time, cost and knee agree"));
  EXPECT_TRUE(says(notes, "error bars: none, no collective was measured on this cluster"));
}

TEST(PolicyReasons, MeasuredCollectivesHaveErrorBars) {
  const scenario::PolicyQuestion question = asked(
      "# Measured?\nworkload: resnet50_v100\ntraining: {batch: 32, epochs: 1, samples: 6400}\ncluster: "
      "aws_2x1_socket\n"
      "advice: {compression: [none], collectives: [ring_allreduce]}\n");
  const AdvisedPolicies advised = answered(question);
  EXPECT_GT(advised.played.front().at_worst().margin.count, 0);
  EXPECT_TRUE(says(policy_notes(advised), "+/-: from the errors of measured collectives"));
}

TEST(PolicyReasons, ABatchIsTimedByItsSamples) {
  const scenario::PolicyQuestion question = asked(
      by_hand + "learner: {kind: parametric, file: resnet50_imagenet, target: 74 %}\n",
      {"training={batch: 64, epochs: 200, samples: 1281167}", "advice.batches=[2000, 3000]",
       "advice.compression=[none]", "advice.collectives=[ring_allreduce]", "advice.steps=5", "advice.tie=1"});
  const AdvisedPolicies advised = answered(question);
  ASSERT_EQ(advised.played.size(), 2U);
  const std::string text = policy_reason(advised, ranked(advised)[1]);
  EXPECT_NE(text.find("times the samples of one of"), std::string::npos) << text;
}

TEST(PolicyReasons, NameASynchronisationThatIsNotTheUsual) {
  scenario::PolicyCandidate candidate;
  candidate.synchronisation = "periodic every 20";
  candidate.compression = "none";
  candidate.collective = "auto";
  candidate.batch = 8;
  EXPECT_EQ(name_of(candidate), "periodic every 20, dense by auto, batch 8");
}

}  // namespace
}  // namespace sim::advise
