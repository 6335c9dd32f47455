// Learners that follow a model: progress, norms, gains, and when accuracy stops being known.
#include "learning/learners/parametric_learner.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "learning/learners/convergence_model.hpp"
#include "tests/source_tree.hpp"

namespace learning::learners {
namespace {

ConvergenceModel small_law() {
  ConvergenceModel law;
  law.model = "mlp";
  law.data_set = "digits";
  law.data_set_samples = 1000;
  law.target_accuracy = 0.9;
  law.least_steps = 10;
  law.critical_batch = 300;
  law.smallest_batch = 20;
  law.largest_batch = 200;
  law.accuracy = {{0, 0.1}, {1, 0.9}};
  law.squared_norm = {{0, 1}};
  law.gains = {{"topk", true, {{0.001, 0.1}, {0.1, 0.5}}}};
  law.slowdowns = {{"topk", true, {{0.01, 2}}}};
  return law;
}

ParametricLearner parametric_learner(const ConvergenceModel& law = small_law()) {
  return {std::make_shared<const ConvergenceModel>(law), "l.csv"};
}

const Compression topk_of_law{"topk", 0.01, true, false};
const std::vector<Share> batches_of_50{{0, 50}, {1, 50}};

Updated law_step(Learner& learner, const Update& update = {},
                 const std::vector<Share>& taken = batches_of_50) {
  learner.compute(taken);
  return learner.update(update);
}

std::string law_label_after(const Update& update, const std::vector<Share>& taken = batches_of_50) {
  ParametricLearner learner = parametric_learner();
  law_step(learner, update, taken);
  EXPECT_FALSE(learner.evaluate().has_value());
  return learner.label();
}

TEST(ParametricLearner, AccuracyFollowsProgress) {
  ParametricLearner learner = parametric_learner();
  EXPECT_DOUBLE_EQ(learner.evaluate()->accuracy, 0.1);
  for (int i = 0; i < 20; ++i) law_step(learner);
  EXPECT_NEAR(learner.progress(), 0.5, 1e-12);
  EXPECT_NEAR(learner.evaluate()->accuracy, 0.5, 1e-12);
  EXPECT_EQ(learner.label(), "parametric model of l.csv (fitted, not trained: mlp on digits)");
}

TEST(ParametricLearner, BeyondTheLawAccuracyIsUnknown) {
  ParametricLearner learner = parametric_learner();
  for (int i = 0; i < 42; ++i) law_step(learner);
  EXPECT_FALSE(learner.evaluate().has_value());
  EXPECT_EQ(learner.label(),
            "parametric model of l.csv (fitted, not trained: mlp on digits); accuracy unknown beyond 1 of "
            "the way to 0.9");
}

TEST(ParametricLearner, NormsFollowFromTheNoiseScale) {
  ConvergenceModel law = small_law();
  law.squared_norm = {{0, 2}};
  law.noise_scale = {{0, 100}};
  ParametricLearner learner = parametric_learner(law);
  EXPECT_EQ(learner.compute(std::vector<Share>{{0, 50}, {1, 25}}).squared_norms,
            (std::vector<double>{6, 10}));
  const Updated updated = learner.update({});
  EXPECT_DOUBLE_EQ(*updated.mean_squared_norm, 2 * (1 + 100.0 / 75));
  EXPECT_EQ(updated.noise_scale, 100);
  EXPECT_EQ(updated.gain, 1);
}

TEST(ParametricLearner, UnevenBatchesWeightedAlikeCountAsASmallerBatch) {
  ParametricLearner learner = parametric_learner();
  // N^2 / sum(1/b) = 4 / (1/25 + 1/75) = 75: 10 (1 + 300/75) = 50 steps
  law_step(learner, {.weights = Weights::uniform}, {{0, 25}, {1, 75}});
  EXPECT_NEAR(learner.progress(), 1.0 / 50, 1e-12);
}

TEST(ParametricLearner, KnownSlowdownMultipliesStepsAndKeepsAccuracyKnown) {
  ParametricLearner learner = parametric_learner();
  const Updated updated = law_step(learner, {.compression = topk_of_law});
  EXPECT_NEAR(learner.progress(), 1.0 / 80, 1e-12);
  EXPECT_TRUE(learner.evaluate().has_value());
  EXPECT_DOUBLE_EQ(*updated.gain, 0.3);
  EXPECT_FALSE(updated.mean_squared_norm.has_value());
}

TEST(ParametricLearner, WhatTheLawDoesNotCoverLeavesAccuracyUnknown) {
  const std::string begin =
      "parametric model of l.csv (fitted, not trained: mlp on digits); accuracy unknown: step 1 ";
  EXPECT_EQ(law_label_after({.exchange = Exchange::nothing}),
            begin + "exchanged nothing, and the model does not cover local steps");
  EXPECT_EQ(law_label_after({.exchange = Exchange::parameters}),
            begin + "exchanged parameters, and the model does not cover local steps");
  EXPECT_EQ(law_label_after({.compression = {"topk", 0.001, true, false}}),
            begin + "sent topk 0.001, whose slowdown the model does not cover");
  EXPECT_EQ(law_label_after({.compression = {"qsgd", 0.25, false, false}}),
            begin + "sent qsgd 0.25 without error feedback, whose slowdown the model does not cover");
  EXPECT_EQ(law_label_after({}, {{0, 19}}), begin +
                                                "had a batch of 19, but the model was fitted to 20 to "
                                                "200");
  EXPECT_EQ(law_label_after({}, {{0, 201}}),
            begin + "had a batch of 201, but the model was fitted to 20 to 200");
}

TEST(ParametricLearner, LaterStepsDoNotMakeAccuracyKnownAgain) {
  ParametricLearner learner = parametric_learner();
  law_step(learner, {.exchange = Exchange::nothing});
  law_step(learner);
  EXPECT_FALSE(learner.evaluate().has_value());
}

TEST(ParametricLearner, UnknownCompressionIsRefusedAndItsGainIsNoNumber) {
  const ParametricLearner learner = parametric_learner();
  EXPECT_TRUE(learner.check(topk_of_law).has_value());
  EXPECT_TRUE(learner.check({}).has_value());
  EXPECT_EQ(learner.check({"topk", 0.1, false, false}).error().text(),
            "l.csv: gains of `topk` without error feedback are unknown; fit them to a record, or train live");
  EXPECT_EQ(learner.gain({"topk", 0.1, false, false}), std::nullopt);
  EXPECT_EQ(learner.gain({"topk", 1, false, false}), 1);
}

TEST(ParametricLearner, UnknownLossIsNoNumber) {
  ConvergenceModel law = small_law();
  EXPECT_EQ(parametric_learner(law).evaluate()->loss, std::nullopt);
  EXPECT_EQ(parametric_learner(law).compute(batches_of_50).loss, std::nullopt);
  law.loss = {{0, 2}};
  law.test_loss = {{0, 3}};
  EXPECT_EQ(parametric_learner(law).compute(batches_of_50).loss, 2);
  EXPECT_EQ(parametric_learner(law).evaluate()->loss, 3);
}

TEST(ParametricLearner, CopyGoesItsOwnWay) {
  ParametricLearner learner = parametric_learner();
  law_step(learner);
  const auto copy = learner.copy();
  law_step(*copy, {.exchange = Exchange::nothing});
  EXPECT_FALSE(copy->evaluate().has_value());
  EXPECT_TRUE(learner.evaluate().has_value());
}

/// Steps until the shipped model has the accuracy, at one batch.
int steps_to(const ConvergenceModel& law, double accuracy, int batch) {
  ParametricLearner learner = parametric_learner(law);
  const std::vector<Share> one{{0, batch}};
  for (int steps = 1; steps < 100'000; ++steps) {
    law_step(learner, {}, one);
    const auto evaluation = learner.evaluate();
    if (evaluation && evaluation->accuracy >= accuracy) return steps;
  }
  return 0;
}

TEST(ParametricLearner, ShippedCifarLawPlaysTheTrainingsItWasFittedTo) {
  const auto law = read_law(tests::source_dir() + "/scenarios/learners/resnet18_cifar10.csv");
  ASSERT_TRUE(law.has_value()) << law.error().text();
  // smoothed steps of AdaptDL's validation files to 90 % and to the model's own target of 94 %
  const struct {
    int batch;
    double to_90;
    double to_94;
  } measured[] = {{512, 4120, 7870}, {1024, 2839, 4282}, {2048, 1779, 2638}, {4096, 1329, 1806}};
  double error_90 = 0;
  double error_94 = 0;
  for (const auto& row : measured) {
    error_90 += std::abs(steps_to(*law, 0.9, row.batch) / row.to_90 - 1) / std::size(measured);
    error_94 += std::abs(steps_to(*law, 0.94, row.batch) / row.to_94 - 1) / std::size(measured);
  }
  RecordProperty("error_90", std::to_string(error_90));
  EXPECT_LT(error_90, 0.1);
  EXPECT_LT(error_94, 0.03);
}

TEST(ParametricLearner, NormsWithoutAnyFittedOnesAreSaidToBeRelative) {
  ConvergenceModel law = small_law();
  law.squared_norm.clear();
  ParametricLearner learner = parametric_learner(law);
  EXPECT_DOUBLE_EQ(learner.compute(batches_of_50).squared_norms[0], 7);  // 1 + 300 / 50
  EXPECT_EQ(learner.label(),
            "parametric model of l.csv (fitted, not trained: mlp on digits); norms relative to |G|^2 = 1");
}

TEST(ParametricLearner, AMethodThatChangesValuesNeedsASlowdownOfItsOwn) {
  const Compression signs{"signsgd", 1, true, false};
  EXPECT_EQ(law_label_after({.compression = signs}),
            "parametric model of l.csv (fitted, not trained: mlp on digits); accuracy unknown: step 1 sent "
            "signsgd 1, whose slowdown the model does not cover");
  EXPECT_EQ(parametric_learner().check(signs).error().text(),
            "l.csv: gains of `signsgd` with error feedback are unknown; fit them to a record, or train live");
  EXPECT_EQ(parametric_learner().gain(signs), std::nullopt);
  ConvergenceModel law = small_law();
  law.slowdowns.push_back({"signsgd", true, {{1, 4}}});
  ParametricLearner learner = parametric_learner(law);
  for (int i = 0; i < 20; ++i) law_step(learner, {.compression = signs});
  EXPECT_NEAR(learner.progress(), 0.125, 1e-12);  // a quarter of 20 uncompressed steps
  EXPECT_NEAR(learner.evaluate()->accuracy, 0.2, 1e-12);
}

}  // namespace
}  // namespace learning::learners
