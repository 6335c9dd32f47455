// The keys under `learner`: their defaults, their ranges, and the files that they name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/datasets/readers.hpp"
#include "learning/learners/live_learner.hpp"
#include "learning/learners/parametric_learner.hpp"
#include "learning/learners/replay_learner.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using learning::learners::LiveSettings;
using settings::Moment;
using ::testing::HasSubstr;

/// The first arm of a scenario with these keys under `learner` of a live learner.
LiveSettings trained_by(const std::string& keys) {
  return first_arm(least + "learner: {kind: live, " + keys + "}\n").learner.kind.as<LiveSettings>();
}

/// The error of these keys.
std::string live_error(const std::string& keys) {
  return refusal(least + "learner: {kind: live, " + keys + "}\n");
}

TEST(LearnerKeys, DefaultsAreThoseOfTheSettings) {
  Learner live;
  live.kind = learning::learners::live();
  EXPECT_EQ(first_arm(least + "learner: live\n").learner, live);
  EXPECT_EQ(first_arm(least).learner, Learner());
}

TEST(LearnerKeys, OptimizersHaveTheirOwn) {
  using learning::models::Adam;
  using learning::models::Sgd;
  EXPECT_EQ(
      trained_by("optimizer: {momentum: 0.5, nesterov: true, weight_decay: 0.1, learning_rate: 0.2}")
          .optimizer,
      (learning::models::OptimizerSettings{learning::models::optimizer("sgd", Sgd{0.5, true, 0.1}), 0.2}));
  EXPECT_EQ(trained_by("optimizer: adam").optimizer.method, learning::models::optimizer("adam", Adam{}));
  EXPECT_EQ(
      trained_by("optimizer: {method: adam, beta1: 0.8, beta2: 0.95, epsilon: 1e-6, weight_decay: 0.01}")
          .optimizer.method,
      learning::models::optimizer("adam", Adam{0.8, 0.95, 1e-6, 0.01}));
  EXPECT_THAT(live_error("optimizer: {method: adam, momentum: 0.5}"),
              HasSubstr("unknown key `learner.optimizer.momentum`; it is accepted where "
                        "`learner.optimizer.method` is sgd"));
  EXPECT_THAT(live_error("optimizer: {method: adam, beta1: 1}"), HasSubstr("`1` is too large"));
  EXPECT_THAT(live_error("optimizer: {method: adam, beta2: 1}"), HasSubstr("`1` is too large"));
  EXPECT_THAT(live_error("optimizer: {method: adam, epsilon: 0}"), HasSubstr("`0` is too small"));
}

TEST(LearnerKeys, OptimizersHaveTheirUsualLearningRates) {
  EXPECT_EQ(trained_by("optimizer: sgd").optimizer.learning_rate, 0.05);
  EXPECT_EQ(trained_by("optimizer: adam").optimizer.learning_rate, 0.001);
  EXPECT_EQ(trained_by("optimizer: adamw").optimizer.learning_rate, 0.001);
  EXPECT_EQ(trained_by("optimizer: {learning_rate: 0.05, method: adam}").optimizer.learning_rate, 0.05);
  EXPECT_EQ(trained_by("optimizer: {method: adamw, weight_decay: 0}").optimizer.learning_rate, 0.001);
  EXPECT_THAT(live_error("optimizer: {method: adam, learning_rate: 0}"),
              HasSubstr("`learner.optimizer.learning_rate`: `0` is too small"));
}

TEST(LearnerKeys, AWarmUpMayBeginAboveZero) {
  EXPECT_EQ(trained_by("rate: {warmup_epochs: 5}").rate.warmup_from, 0);
  EXPECT_EQ(trained_by("rate: {warmup_epochs: 5, warmup_from: 25 %}").rate,
            (learning::models::RateSchedule{.warmup_epochs = 5, .warmup_from = 0.25}));
  EXPECT_THAT(live_error("rate: {warmup_from: 1.1}"),
              HasSubstr("`learner.rate.warmup_from`: `1.1` is too large"));
}

TEST(LearnerKeys, TheRateChangesAtAStepOrAnEpoch) {
  using Unit = Moment::Unit;
  EXPECT_EQ(
      trained_by("rate: {changes: [{at: epoch 15, factor: 0.1}, {at: step 7, factor: 2}]}").rate.changes,
      (std::vector<learning::models::RateChange>{{{Unit::epoch, 15}, 0.1}, {{Unit::step, 7}, 2}}));
  EXPECT_EQ(live_error("rate: {changes: [{at: epoch 15, factor: 0.1}, {at: 9 s, factor: 2}]}"),
            "s.yaml:5:74: `learner.rate.changes[1].at`: the learning rate changes at a step or an epoch, not "
            "at a time; write for example `at: epoch 15`");
}

TEST(LearnerKeys, RowsHeldOutOfACsvFileAreDrawnByItsSeed) {
  const LiveSettings training =
      trained_by("dataset: {name: csv, path: x, test_share: 0.3, label: first, seed: 7}");
  const auto& file = training.dataset.as<learning::datasets::CsvFile>();
  EXPECT_EQ(file.seed, 7U);
  EXPECT_EQ(file.test_share, 0.3);
  EXPECT_EQ(file.label, learning::datasets::LabelColumn::first);
  EXPECT_EQ(trained_by("dataset: {name: csv, path: x}").dataset.as<learning::datasets::CsvFile>().seed, 0U);
}

TEST(LearnerKeys, ValuesOutOfRangeAreRefused) {
  EXPECT_THAT(live_error("dataset: {name: csv, path: x, test_share: 1}"),
              HasSubstr("`learner.dataset.test_share`: `1` is too large"));
  EXPECT_THAT(live_error("dataset: {name: csv, path: x, test_share: nan}"),
              HasSubstr("`learner.dataset.test_share`"));
  EXPECT_THAT(live_error("dataset: {name: csv, path: x, seed: -1}"),
              HasSubstr("`learner.dataset.seed`: `-1` is too small"));
  EXPECT_THAT(live_error("dataset: {name: text, path: x, window: 0}"),
              HasSubstr("`learner.dataset.window`: `0` is too small"));
}

TEST(LearnerKeys, UnknownNamesNameTheNearest) {
  EXPECT_THAT(live_error("dataset: fashion-mnist"),
              HasSubstr("did you mean `fashion_mnist`? accepted: optdigits, mnist, fashion_mnist, cifar10, "
                        "csv, text"));
  EXPECT_THAT(live_error("shards: labelskew"),
              HasSubstr("did you mean `label_skew`? accepted: contiguous, circular, label_skew, dirichlet"));
  EXPECT_THAT(live_error("optimizer: adm"), HasSubstr("did you mean `adam`?"));
  EXPECT_THAT(refusal(least + "learner: liv\n"),
              HasSubstr("did you mean `live`? accepted: none, live, replay, parametric"));
}

TEST(LearnerFile, AShippedNameStaysAndAPathIsFoundBesideTheScenario) {
  EXPECT_EQ(first_arm(least + "learner: {kind: parametric, file: resnet18_cifar10}\n")
                .learner.kind.as<learning::learners::ParametricLearner::Settings>()
                .file,
            "resnet18_cifar10");
  EXPECT_EQ(trained_by("dataset: optdigits").dataset, learning::datasets::DatasetChoice());
  const tests::ScratchFolder scratch;
  scratch.write("own.csv", "");
  scratch.write("data/letters.csv", "");
  const auto replayed = read(scratch, least + "learner: {kind: replay, file: own.csv}\n");
  ASSERT_TRUE(replayed.has_value()) << replayed.error().text();
  EXPECT_EQ(replayed->study.arms.at(0).learner.kind.as<learning::learners::ReplayLearner::Settings>().file,
            (scratch / "own.csv").string());
  const auto trained =
      read(scratch, least + "learner: {kind: live, dataset: {name: csv, path: data/letters.csv}}\n");
  ASSERT_TRUE(trained.has_value()) << trained.error().text();
  EXPECT_EQ(trained->study.arms.at(0)
                .learner.kind.as<LiveSettings>()
                .dataset.as<learning::datasets::CsvFile>()
                .path,
            (scratch / "data/letters.csv").string());
}

}  // namespace
}  // namespace sim::scenario
