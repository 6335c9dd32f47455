// Steps to a target, and how they are known.
#include "sim/advise/steps_to_target.hpp"

#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "tests/advise/asked.hpp"

namespace sim::advise {
namespace {

const std::string advice_section =
    "advice: {compression: [none, topk, fp16], ratios: [1 %], collectives: [ring_allreduce, "
    "ring_allgather]}\n";
const std::string law = "learner: {kind: parametric, file: resnet50_imagenet, target: 74 %}\n";
const std::string gains = "learner: {kind: replay, file: resnet50_gains_tyagi2023, target: 90 %}\n";

netmodels::Result<StepsToTarget> count(StepsCounter& counter, const scenario::PolicyQuestion& question,
                                       const std::string& compression) {
  for (const scenario::PolicyCandidate& candidate : question.candidates) {
    if (candidate.compression == compression) return counter.count(candidate.worlds.front());
  }
  return netmodels::refuse("", "no candidate with " + compression);
}

TEST(StepsToTarget, WithoutALearnerATrainingTakesItsEpochs) {  // 2 x 12800 / (4 x 32)
  engine::LearnerShelf shelf(data_folder);
  StepsCounter counter(shelf);
  const auto question = asked(by_hand + advice_section);
  EXPECT_EQ(count(counter, question, "none")->steps, 200);
  EXPECT_EQ(count(counter, question, "none")->known, StepsKnown::stated);
  EXPECT_EQ(count(counter, question, "topk")->steps, 200);
  EXPECT_EQ(count(counter, question, "topk")->known, StepsKnown::assumed);
  EXPECT_EQ(counter.learner(), "none");
}

TEST(StepsToTarget, ALawIsFollowedToItsTarget) {  // 5421 (1 + 14435 / 1024) steps, tested at every 20th
  engine::LearnerShelf shelf(data_folder);
  StepsCounter counter(shelf);
  const auto question =
      asked(by_hand + law + advice_section, {"training={batch: 256, epochs: 200, samples: 1281167}"});
  const auto dense = count(counter, question, "none");
  EXPECT_NEAR(dense->steps, 5420.91 * (1 + 14435.1 / 1024), 0.02 * dense->steps);  // the fit is within 1.6 %
  EXPECT_EQ(dense->known, StepsKnown::learned);
  EXPECT_GE(*dense->accuracy, 0.74);
  const auto topk = count(counter, question, "topk");  // the model has no gain of it
  EXPECT_EQ(topk->steps, dense->steps);
  EXPECT_EQ(topk->known, StepsKnown::assumed);
  EXPECT_FALSE(topk->accuracy);
}

TEST(StepsToTarget,
     AGainLengthensATrainingByItsInverse) {  // 0.33 at the first step of a record, 0.27 at its end
  engine::LearnerShelf shelf(data_folder);
  StepsCounter counter(shelf);
  const auto question = asked(by_hand + gains + advice_section);
  const auto topk = count(counter, question, "topk");
  EXPECT_EQ(topk->known, StepsKnown::gain);
  EXPECT_NEAR(topk->steps, 200 / 0.33, 1);  // 200 steps of 14795 are near its first
  EXPECT_EQ(count(counter, question, "none")->known, StepsKnown::stated);
  EXPECT_EQ(count(counter, question, "fp16")->known, StepsKnown::assumed);
}

/// How the steps of each entry of a list are known, by who chooses the places.
std::map<scenario::Selection, StepsToTarget> by_selection(const std::string& entries) {
  engine::LearnerShelf shelf(data_folder);
  StepsCounter counter(shelf);
  const auto question = asked(by_hand + gains + "advice: {compression: [" + entries +
                              "], ratios: [1 %], collectives: [ring_allreduce]}\n");
  std::map<scenario::Selection, StepsToTarget> steps;
  for (const scenario::PolicyCandidate& candidate : question.candidates) {
    const auto counted = counter.count(candidate.worlds.front());
    EXPECT_TRUE(counted) << (counted ? "" : counted.error().text());
    if (candidate.compression != "none")
      steps[candidate.worlds.front().exchange.compression.selection] = *counted;
  }
  return steps;
}

TEST(StepsToTarget, DoNotDependOnTheOrderOfEntries) {  // the record has gains of AR-Topk only by staleness
  const std::string staleness = "{method: ar_topk, selection: staleness}";
  const std::string variance = "{method: ar_topk, selection: variance}";
  for (const std::string& entries : {"none, " + staleness + ", " + variance,
                                     "none, " + variance + ", " + staleness, variance + ", " + staleness}) {
    const auto steps = by_selection(entries);
    ASSERT_EQ(steps.size(), 2U) << entries;
    EXPECT_EQ(steps.at(scenario::Selection::staleness).known, StepsKnown::gain) << entries;
    EXPECT_NEAR(steps.at(scenario::Selection::staleness).steps, 200 / 0.33, 1) << entries;
    EXPECT_EQ(steps.at(scenario::Selection::variance).known, StepsKnown::assumed) << entries;
    EXPECT_EQ(steps.at(scenario::Selection::variance).steps, 200) << entries;
  }
}

TEST(StepsToTarget, RefusesWhatTheLearnerDoesNotKnowOrReach) {
  engine::LearnerShelf shelf(data_folder);
  const auto reason = [&](const std::string& training) {
    StepsCounter counter(shelf);
    return count(counter, asked(by_hand + law + advice_section, {"training=" + training}), "none")
        .error()
        .what;
  };
  EXPECT_EQ(reason("{batch: 8000, epochs: 200, samples: 1281167}"),
            "the learner does not cover a batch of `8000` per worker");
  EXPECT_EQ(reason("{batch: 256, epochs: 20, samples: 1281167}"),
            "a batch of `256` per worker does not reach the target in `20` epochs");
}

TEST(StepsToTarget, WhatALearnerIsCalledDecidesNothing) {
  const tests::ScratchFolder scratch;
  const auto named = scratch / "no accuracy was recorded.csv";
  std::filesystem::copy_file(data_folder / "learners/resnet50_imagenet.csv", named);
  engine::LearnerShelf shelf(data_folder);
  StepsCounter counter(shelf);
  const auto question = asked(by_hand + "learner: {kind: parametric, file: \"" + named.string() +
                                  "\", target: 74 %}\n" + advice_section,
                              {"training={batch: 256, epochs: 20, samples: 1281167}"});
  const auto counted = count(counter, question, "none");
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.error().what, "a batch of `256` per worker does not reach the target in `20` epochs");
}

}  // namespace
}  // namespace sim::advise
