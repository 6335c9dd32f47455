// Replays of a small record: the figures of each step, and when accuracy stops being known.
#include "learning/learners/replay_learner.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace learning::learners {
namespace {

const std::string text =
    "# model: mlp\n# data_set: digits\n# data_set_samples: 1000\n# workers: 2\n# batch: 16\n"
    "# compression: none\n# gains_of: topk\n# source: by hand\n# licence: CC0\n"
    "step,loss,accuracy,test_loss,mean_squared_norm,noise_scale,squared_norm_0,squared_norm_1,gain_0.1,gain_"
    "0.001\n"
    "0,,0.1,2.5,,,,,,\n"
    "1,2,,,3,10,4,6,0.5,0.1\n"
    "3,1,0.5,1.5,1,30,2,8,0.7,0.3\n";

const Compression topk_of_replay{"topk", 0.01, true, false};
const std::vector<Share> batches_of_16{{0, 16}, {1, 16}};

ReplayLearner replay_learner(const std::string& record_text = text) {
  const auto record = parse_record(record_text, "r.csv");
  EXPECT_TRUE(record.has_value()) << record.error().text();
  return {std::make_shared<const Record>(*record), "r.csv"};
}

Updated replayed_step(Learner& learner, const Update& update = {},
                      const std::vector<Share>& taken = batches_of_16) {
  learner.compute(taken);
  return learner.update(update);
}

std::string replay_label_after(const Update& update, const std::vector<Share>& taken = batches_of_16) {
  ReplayLearner learner = replay_learner();
  replayed_step(learner, update, taken);
  EXPECT_FALSE(learner.evaluate().has_value());
  return learner.label();
}

TEST(ReplayLearner, StepsSeeTheRecordsStepsAndLinesBetweenThem) {
  ReplayLearner learner = replay_learner();
  EXPECT_EQ(learner.compute(batches_of_16).squared_norms, (std::vector<double>{4, 6}));
  const Updated first = learner.update({});
  EXPECT_EQ(first.mean_squared_norm, 3);
  EXPECT_EQ(first.noise_scale, 10);
  EXPECT_EQ(first.gain, 1);
  const Gradients second = learner.compute(batches_of_16);
  EXPECT_EQ(second.squared_norms, (std::vector<double>{3, 7}));
  EXPECT_DOUBLE_EQ(*second.loss, 1.5);
  EXPECT_EQ(learner.update({}).noise_scale, 20);
}

TEST(ReplayLearner, ShowsRecordedChangesOfAsManyWorkersAndSaysHowTheyWereMeasured) {
  std::string changes = text;
  changes.replace(changes.find("step,"), std::string::npos,
                  "# relative_change_window: 25\n# relative_change_smoothing: 0.02\n"
                  "step,relative_change,squared_norm_0,squared_norm_1\n1,,4,6\n2,0.5,,\n3,-0.25,,\n4,,2,8\n");
  ReplayLearner learner = replay_learner(changes);
  const policies::ChangeMeasure measure{25, 0.02};
  EXPECT_EQ(learner.compute(batches_of_16).measured_change, std::nullopt);
  learner.update({});
  EXPECT_EQ(learner.compute(batches_of_16).measured_change, (policies::MeasuredChange{0.5, measure}));
  EXPECT_EQ(learner.compute(std::vector<Share>{{0, 16}}).measured_change, std::nullopt);
  learner.update({});
  EXPECT_EQ(learner.compute(batches_of_16).measured_change, (policies::MeasuredChange{-0.25, measure}));
  learner.update({});
  EXPECT_EQ(learner.compute(batches_of_16).measured_change, std::nullopt);  // beyond what was measured
  EXPECT_EQ(learner.note_on_norms(),
            "squared norms are known in 2 of 4 steps and lie on lines between them; relative changes were "
            "recorded with window 25 and smoothing 0.02 of 2 workers");
}

TEST(ReplayLearner, SaysWhereNormsLieOnLines) {
  EXPECT_EQ(replay_learner().note_on_norms(),
            "squared norms are known in 2 of 3 steps and lie on lines between them");
  std::string dense = text;
  dense.replace(dense.find("step,"), std::string::npos, "step,squared_norm\n1,4\n2,5\n");
  dense.replace(dense.find("# gains_of: topk\n"), 17, "");
  EXPECT_EQ(replay_learner(dense).note_on_norms(), "");
}

TEST(ReplayLearner, SaysThatNoAccuracyWasRecorded) {
  const std::string gains =
      "# model: mlp\n# data_set: digits\n# data_set_samples: 1000\n# workers: 2\n# batch: 16\n# compression: "
      "none\n"
      "# gains_of: topk\n# source: by hand\n# licence: CC0\nstep,squared_norm,gain_0.1\n1,1,0.5\n";
  ReplayLearner learner = replay_learner(gains);
  replayed_step(learner, {.compression = {"topk", 0.1, true, false}});
  EXPECT_EQ(learner.label(),
            "replay of r.csv (recorded, not trained: mlp on digits); no accuracy was recorded");
  EXPECT_FALSE(learner.evaluate().has_value());
  EXPECT_FALSE(learner.knows_accuracy());
  EXPECT_TRUE(replay_learner().knows_accuracy());
}

TEST(ReplayLearner, GainsMayBeThoseOfSeveralMethods) {
  std::string both = text;
  both.replace(both.find("gains_of: topk"), 14, "gains_of: topk, ar_topk");
  const ReplayLearner learner = replay_learner(both);
  EXPECT_TRUE(learner.check(topk_of_replay).has_value());
  EXPECT_TRUE(learner.check({"ar_topk", 0.01, true, false}).has_value());
  EXPECT_EQ(learner.gain({"ar_topk", 0.01, true, false}), learner.gain(topk_of_replay));
  EXPECT_FALSE(learner.check({"dgc", 0.01, true, false}).has_value());
}

TEST(ReplayLearner, WorkersBeyondTheRecordedSeeThemInTurn) {
  ReplayLearner learner = replay_learner();
  const std::vector<Share> five{{4, 1}, {3, 1}, {2, 1}, {1, 1}, {0, 1}};
  EXPECT_EQ(learner.compute(five).squared_norms, (std::vector<double>{4, 6, 4, 6, 4}));
}

TEST(ReplayLearner, AccuracyIsKnownBetweenItsMeasurements) {
  ReplayLearner learner = replay_learner();
  EXPECT_DOUBLE_EQ(learner.evaluate()->accuracy, 0.1);
  EXPECT_DOUBLE_EQ(*learner.evaluate()->loss, 2.5);
  for (int i = 0; i < 3; ++i) replayed_step(learner);
  EXPECT_DOUBLE_EQ(learner.evaluate()->accuracy, 0.5);
  EXPECT_EQ(learner.label(), "replay of r.csv (recorded, not trained: mlp on digits)");
}

TEST(ReplayLearner, BeyondItsLastStepGradientsStayAndAccuracyIsUnknown) {
  ReplayLearner learner = replay_learner();
  for (int i = 0; i < 4; ++i) replayed_step(learner);
  EXPECT_FALSE(learner.evaluate().has_value());
  EXPECT_EQ(learner.compute(batches_of_16).squared_norms, (std::vector<double>{2, 8}));
  EXPECT_EQ(learner.label(),
            "replay of r.csv (recorded, not trained: mlp on digits); gradients stay as in step 3, its "
            "last; accuracy unknown beyond step 3");
}

TEST(ReplayLearner, GainsAreLinearInTheLogarithmOfTheRatioAndClampedBelow) {
  ReplayLearner learner = replay_learner();
  learner.compute(batches_of_16);
  EXPECT_DOUBLE_EQ(*learner.gain(topk_of_replay), 0.3);
  EXPECT_DOUBLE_EQ(*learner.gain({"topk", 0.0001, true, false}), 0.1);
  EXPECT_EQ(learner.gain({}), 1);
  learner.update({});
  learner.compute(batches_of_16);
  EXPECT_DOUBLE_EQ(*learner.gain(topk_of_replay), 0.4);
}

TEST(ReplayLearner, UnrecordedCompressionIsRefusedAndItsGainIsNoNumber) {
  const ReplayLearner learner = replay_learner();
  EXPECT_TRUE(learner.check(topk_of_replay).has_value());
  EXPECT_TRUE(learner.check({}).has_value());
  EXPECT_EQ(learner.check({"qsgd", 0.25, true, false}).error().text(),
            "r.csv: no gains of `qsgd` with error feedback were recorded; recorded are gains of `topk`");
  EXPECT_EQ(learner.check({"topk", 0.1, false, false}).error().text(),
            "r.csv: no gains of `topk` without error feedback were recorded; recorded are gains of `topk`");
  EXPECT_EQ(learner.gain({"qsgd", 0.25, true, false}), std::nullopt);
}

TEST(ReplayLearner, AccuracyIsUnknownOnceTheRunDepartsFromTheRecord) {
  const std::string begin =
      "replay of r.csv (recorded, not trained: mlp on digits); accuracy unknown: step 1 ";
  EXPECT_EQ(replay_label_after({.exchange = Exchange::nothing}),
            begin + "exchanged nothing, the record gradients");
  EXPECT_EQ(replay_label_after({.exchange = Exchange::parameters}),
            begin + "exchanged parameters, the record gradients");
  EXPECT_EQ(replay_label_after({.compression = topk_of_replay}), begin + "sent topk 0.01, the record none");
  EXPECT_EQ(replay_label_after({}, {{0, 16}, {1, 17}}), begin + "took 33 samples, the record 32");
  EXPECT_EQ(replay_label_after({.weights = Weights::uniform}, {{0, 8}, {1, 24}}),
            begin + "weighted uneven batches equally, the record by batch");
}

TEST(ReplayLearner, AMethodThatChangesValuesIsNotTheUncompressedRecord) {
  const Compression signs{"signsgd", 1, true, false};
  EXPECT_EQ(
      replay_label_after({.compression = signs}),
      "replay of r.csv (recorded, not trained: mlp on digits); accuracy unknown: step 1 sent signsgd 1, "
      "the record none");
  EXPECT_EQ(replay_learner().check(signs).error().text(),
            "r.csv: no gains of `signsgd` with error feedback were recorded; recorded are gains of `topk`");
  EXPECT_EQ(replay_learner().gain(signs), std::nullopt);
}

TEST(ReplayLearner, AMethodThatChangesValuesIsReplayedFromItsOwnRecord) {
  std::string recorded = text;
  recorded.replace(recorded.find("compression: none"), 17, "compression: signsgd 1");
  ReplayLearner learner = replay_learner(recorded);
  const Compression signs{"signsgd", 1, true, false};
  ASSERT_TRUE(learner.check(signs).has_value());
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(replayed_step(learner, {.compression = signs}).gain.has_value());
  EXPECT_DOUBLE_EQ(learner.evaluate()->accuracy, 0.5);
}

TEST(ReplayLearner, CompressedSamplesMustBeSplitAsRecorded) {
  std::string recorded = text;
  recorded.replace(recorded.find("compression: none"), 17, "compression: topk 0.01");
  const auto departed = [&](const std::vector<Share>& taken) {
    ReplayLearner learner = replay_learner(recorded);
    replayed_step(learner, {.compression = topk_of_replay}, taken);
    return learner.label();
  };
  const std::string whole = "replay of r.csv (recorded, not trained: mlp on digits)";
  EXPECT_EQ(departed({{0, 16}, {1, 16}}), whole);
  for (const std::vector<Share>& other :
       {std::vector<Share>{{0, 32}}, {{0, 8}, {1, 24}}, {{0, 8}, {1, 8}, {2, 8}, {3, 8}}}) {
    EXPECT_EQ(departed(other),
              whole + "; accuracy unknown: step 1 split the samples otherwise, the record 2 by 16");
  }
}

TEST(ReplayLearner, LaterStepsDoNotMakeAccuracyKnownAgain) {
  ReplayLearner learner = replay_learner();
  replayed_step(learner, {.exchange = Exchange::nothing});
  replayed_step(learner);
  EXPECT_FALSE(learner.evaluate().has_value());
}

TEST(ReplayLearner, StepsThatChangeNothingInTheRecordKeepAccuracyKnown) {
  ReplayLearner learner = replay_learner();
  replayed_step(learner, {.compression = {"topk", 1, true, false}});
  replayed_step(learner, {.weights = Weights::uniform});
  replayed_step(learner, {}, {{0, 32}});
  EXPECT_DOUBLE_EQ(learner.evaluate()->accuracy, 0.5);
}

TEST(ReplayLearner, CompressedStepsHaveAGainButNoMeanNorm) {
  ReplayLearner learner = replay_learner();
  const Updated updated = replayed_step(learner, {.compression = topk_of_replay});
  EXPECT_DOUBLE_EQ(*updated.gain, 0.3);
  EXPECT_FALSE(updated.mean_squared_norm.has_value());
  EXPECT_FALSE(replayed_step(learner, {.exchange = Exchange::nothing}).gain.has_value());
}

TEST(ReplayLearner, CopyGoesItsOwnWay) {
  ReplayLearner learner = replay_learner();
  replayed_step(learner);
  const auto copy = learner.copy();
  replayed_step(*copy, {.exchange = Exchange::nothing});
  EXPECT_FALSE(copy->evaluate().has_value());
  replayed_step(learner);
  replayed_step(learner);
  EXPECT_DOUBLE_EQ(learner.evaluate()->accuracy, 0.5);
}

TEST(ReplayLearner, MeanNormStandsForEveryWorkerAndUnrecordedLossIsNoNumber) {
  const std::string facts = text.substr(0, text.find("step,"));
  ReplayLearner learner = replay_learner(facts + "step,squared_norm\n1,5\n");
  const Gradients gradients = learner.compute(batches_of_16);
  EXPECT_EQ(gradients.squared_norms, (std::vector<double>{5, 5}));
  EXPECT_EQ(gradients.loss, std::nullopt);
  learner.update({});
  EXPECT_FALSE(learner.evaluate().has_value());
}

}  // namespace
}  // namespace learning::learners
