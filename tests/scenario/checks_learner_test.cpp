// Learning and synchronisation: invalid combinations, derived defaults, and warnings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/datasets/readers.hpp"
#include "learning/learners/live_learner.hpp"
#include "policies/adacomm.hpp"
#include "policies/diloco.hpp"
#include "policies/easgd.hpp"
#include "policies/local_steps.hpp"
#include "policies/selsync.hpp"
#include "sim/scenario/checks.hpp"
#include "tests/policies/policy_host.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using learning::learners::LiveSettings;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A scenario without its length; `more` is on line 5.
std::string without_samples(const std::string& more) {
  return "# Does it pay?\n"
         "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
         "cluster: {workers: 4, " +
         good_link +
         "}\n"
         "training: {batch: 32, epochs: 2}\n" +
         more;
}

std::vector<std::string> warnings(const std::string& text) {
  std::vector<std::string> found = study(text).warnings;
  for (std::string& warning : found) warning.erase(0, warning.find("s.yaml"));
  return found;
}

TEST(CheckLearner, BatchesMustBeOnePerWorker) {
  EXPECT_EQ(
      refusal(least, {"training.batches=[8, 16]"}),
      "--set training.batches: `training.batches`: 2 batches are given for 4 workers; give one for each "
      "worker");
  EXPECT_EQ(study(least, {"training.batches=[8, 16, 24, 32]"}).arms.at(0).work.training.batches,
            (std::vector<int>{8, 16, 24, 32}));
}

TEST(CheckLearner, SelSyncNeedsGradients) {
  EXPECT_EQ(refusal(least + "synchronisation: {method: selsync, threshold: 0.1}\n"),
            "s.yaml:5:27: `synchronisation: selsync` needs gradients; `learner: none` computes none; write "
            "`learner: live`, `learner: parametric`, `synchronisation: bsp` or `synchronisation: {method: "
            "periodic, every: 20}`");
  EXPECT_EQ(refusal(least + "synchronisation: {method: selsync, threshold: 0.1}\nlearner: live\n"),
            "accepted");
}

TEST(CheckLearner, SelSyncHasAThresholdOrAQuantileOfChanges) {
  const std::string learns = least + "learner: live\n";
  EXPECT_EQ(
      refusal(learns + "synchronisation: selsync\n"),
      "s.yaml:6:18: `synchronisation`: `selsync` has no threshold; write `threshold: 0.2`, or `quantile: 80 "
      "%` of the changes that are seen");
  EXPECT_EQ(
      refusal(learns + "synchronisation: {method: selsync, threshold: 0.1, quantile: 80 %}\n"),
      "s.yaml:6:18: `synchronisation`: both `threshold` and `quantile` are given; write `threshold: 0.2`, "
      "or `quantile: 80 %` of the changes that are seen");
  const auto selsync =
      first_arm(learns + "synchronisation: {method: selsync, quantile: 80 %}\n").exchange.synchronisation;
  EXPECT_EQ(selsync.as<policies::SelSync::Settings>().quantile, 0.8);
}

/// Every row of the catalogue can be named, and its example is one that a scenario takes.
TEST(CheckLearner, AScenarioTakesTheExampleOfEverySynchronisationPolicy) {
  tests::FakePolicyHost host("Mine", "5feceb66ffc86f38");
  const policies::InstalledPolicyHost installed(host);
  for (const policies::SynchronisationRow& row : policies::synchronisations()) {
    const std::string learner = row.traits.exchanges_momenta
                                    ? "compression: {method: onebit_adam}\n"
                                      "learner: {kind: live, optimizer: {method: zero_one_adam}}\n"
                                    : "learner: live\n";
    const auto arm = first_arm(least + learner + "synchronisation: " + std::string(row.example) + "\n");
    EXPECT_EQ(arm.exchange.synchronisation.name(), row.name);
  }
}

/// A default is written twice, as text for people and as a number for code: both are the same.
TEST(CheckLearner, DefaultsInFilesAreThoseOfTheSettings) {
  const auto read = [](const std::string& stated) {
    return first_arm(least + "learner: live\n" + "synchronisation: " + stated + "\n")
        .exchange.synchronisation;
  };
  EXPECT_EQ(read("{method: periodic, every: 7}"),
            policies::synchronisation("periodic", policies::Periodic::Settings{.every = 7}));
  EXPECT_EQ(read("{method: fedavg, every_epochs: 2}"),
            policies::synchronisation("fedavg", policies::FedAvg::Settings{.every_epochs = 2}));
  EXPECT_EQ(read("{method: adacomm, every: 7}"),
            policies::synchronisation("adacomm", policies::AdaComm::Settings{.every = 7}));
  EXPECT_EQ(read("{method: easgd, every: 7}"),
            policies::synchronisation("easgd", policies::Easgd::Settings{.every = 7}));
  EXPECT_EQ(read("{method: diloco, every: 7}"),
            policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = 7}));
  EXPECT_EQ(read("{method: selsync, threshold: 1}"),
            policies::synchronisation("selsync", policies::SelSync::Settings{.threshold = 1}));
  EXPECT_EQ(read("{method: ssp, staleness: 3}"),
            policies::synchronisation("ssp", policies::StaleSynchronous{.staleness = 3}));
  EXPECT_EQ(read("asp"), policies::synchronisation("asp", policies::Asynchronous{}));
}

TEST(CheckLearner, OnlyParametersAreAveragedBeforeAStep) {
  const std::string before =
      least + "learner: live\nsynchronisation: {method: selsync, threshold: 0.1, average: before_step}\n";
  EXPECT_EQ(refusal(before), "accepted");
  EXPECT_EQ(refusal(before, {"synchronisation.averaged=gradients"}),
            "s.yaml:6:61: `synchronisation.average`: `average: before_step` needs parameters; "
            "gradients are averaged within the step; leave it out, or write `averaged: parameters`");
}

TEST(CheckLearner, AdaCommNeedsALoss) {
  const std::string adaptive = least + "synchronisation: {method: adacomm, every: 20}\n";
  EXPECT_EQ(refusal(adaptive),
            "s.yaml:5:27: `synchronisation: adacomm` needs losses; `learner: none` computes none; write "
            "`learner: live`, `learner: parametric`, `synchronisation: bsp` or `synchronisation: {method: "
            "periodic, every: 20}`");
  EXPECT_EQ(refusal(adaptive + "learner: live\n"), "accepted");
}

TEST(CheckLearner, AnElasticCentreMayNotMovePastTheWorkersMean) {  // of four
  const std::string elastic = least + "synchronisation: {method: easgd, every: 5, moving_rate: 0.26}\n";
  EXPECT_EQ(
      refusal(elastic),
      "s.yaml:5:57: `synchronisation.moving_rate`: 0.26 times 4 workers is above 1: the centre would move "
      "past their mean; at most 1/workers, 0.25");
  EXPECT_EQ(refusal(elastic, {"synchronisation.moving_rate=0.25"}), "accepted");
}

TEST(CheckLearner, AnElasticCentreIsTestedAndNotAMean) {
  EXPECT_EQ(refusal(least + "synchronisation: {method: easgd, every: 5}\n" +
                    "learner: {kind: live, evaluate: average}\n"),
            "s.yaml:6:33: `learner.evaluate: average` needs a test of the mean of the workers' models; "
            "`synchronisation: easgd` tests another model; write `synchronisation: bsp`, `synchronisation: "
            "{method: fedavg, every_epochs: 0.25}` or `learner.evaluate: method`");
  EXPECT_EQ(refusal(least + "synchronisation: {method: easgd, every: 5}\n" +
                    "learner: {kind: live, evaluate: worker}\n"),
            "s.yaml:6:33: `learner.evaluate: worker` needs a test of one worker's model; `synchronisation: "
            "easgd` tests another model; write `synchronisation: bsp`, `synchronisation: {method: fedavg, "
            "every_epochs: 0.25}` or `learner.evaluate: method`");
}

TEST(CheckLearner, KeysOfAnotherSynchronisationAreNotKnown) {
  EXPECT_THAT(refusal(least + "synchronisation: {method: diloco, every: 5, participants: 50 %}\n"),
              HasSubstr("unknown key `synchronisation.participants`"));
  EXPECT_THAT(refusal(least + "synchronisation: fedavg\n"),
              HasSubstr("`synchronisation.every_epochs` is missing"));
}

TEST(CheckLearner, SharedSamplesNeedASizeWhereTheFileDecidesIt) {
  const std::string injected =
      "learner: {kind: live, injection: {workers: 50 %, batch: 50 %}, dataset: {name: csv, path: x.csv}}\n";
  EXPECT_EQ(refusal(least + injected),
            "s.yaml:5:34: the key `learner.injection.sample_size` is missing; write what a sample costs the "
            "network, for example `sample_size: 3 kB`");
  EXPECT_EQ(refusal(least + injected, {"learner.injection.sample_size=3 kB"}), "accepted");
  EXPECT_THAT(refusal(least + injected, {"learner.dataset={name: text, path: x.txt}"}),
              HasSubstr("the key `learner.injection.sample_size` is missing"));
}

/// A live learner on the digits (3823 samples), whose four workers take 128 samples in a step.
std::string warming(const std::string& rate, const std::string& training = "steps: 100") {
  return "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
         "cluster: {workers: 4, " +
         good_link + "}\ntraining: {batch: 32, " + training + "}\nlearner: {kind: live, rate: {" + rate +
         "}}\n";
}

TEST(LearnerWarnings, AWarmUpThatIsLongerThanTheRunIsWarnedOf) {
  EXPECT_THAT(warnings(warming("warmup_steps: 100")), Not(Contains(HasSubstr("warms up"))));
  EXPECT_THAT(warnings(warming("warmup_steps: 101")),
              Contains(EndsWith("the learning rate warms up over 101 steps, and the run ends after 100")));
  EXPECT_THAT(warnings(warming("warmup_epochs: 4")),
              Contains(EndsWith("the learning rate warms up over 4 epochs, and the run ends after 3.34816")));
  EXPECT_THAT(warnings(warming("warmup_epochs: 2", "epochs: 2")), Not(Contains(HasSubstr("warms up"))));
  EXPECT_THAT(warnings(warming("warmup_epochs: 3", "epochs: 2")),
              Contains(EndsWith("the learning rate warms up over 3 epochs, and the run ends after 2")));
}

TEST(CheckLearner, TheLearningRateWarmsUpBeforeItHasDecayed) {
  EXPECT_EQ(refusal(warming("warmup_steps: 59, decay: {until: epoch 2}")), "accepted");
  EXPECT_THAT(
      refusal(warming("warmup_steps: 60, decay: {until: epoch 2}")),
      HasSubstr("`learner.rate.warmup_steps`: the warm-up takes 60 steps, and the decay is over after "
                "59.7344; accepted: less than 59.7344, the end of the decay"));
  EXPECT_THAT(refusal(warming("warmup_steps: 60, decay: {until: step 60}")),
              HasSubstr("the warm-up takes 60 steps, and the decay is over at step 60"));
}

/// A live learner whose gains are recorded; `record` is from column 31 on.
std::string recording(const std::string& record) {
  return "learner: {kind: live, record: {" + record + "}}\n";
}

TEST(CheckRecording, OnlyStepsThatAllTakeTogetherAreRecorded) {
  const std::string text =
      "s.yaml:5:31: `learner.record` needs an exchange of gradients in every step; `synchronisation: "
      "periodic` has steps without one; write `synchronisation: bsp`, or leave out `learner.record`";
  const std::string plain = least + recording("ratios: [10 %]");
  EXPECT_EQ(refusal(plain), "accepted");
  EXPECT_EQ(
      refusal(plain, {"training.batches=[8, 8, 8, 16]"}),
      "s.yaml:5:31: `learner.record` needs one batch size for all workers; `training.batches` may give them "
      "different ones; leave out `training.batches` or `learner.record`");
  EXPECT_EQ(refusal(plain + "synchronisation: {method: periodic, every: 2}\n"), text);
}

TEST(CheckRecording, WorkersMustBeTheSameFromBeginningToEnd) {
  EXPECT_EQ(refusal(least + recording("ratios: [10 %]"), {"cluster.failures=[{worker: 1, at: 1 s}]"}),
            "s.yaml:5:31: `learner.record` needs a run without failures; `cluster.failures` states some; "
            "leave out `cluster.failures` or `learner.record`");
}

TEST(CheckRecording, RatiosStandThereOnce) {
  EXPECT_EQ(refusal(least + recording("ratios: [10 %, 1 %, 0.1]")),
            "s.yaml:5:41: `learner.record.ratios[0]`: duplicate ratio; name each ratio once");
}

TEST(CheckRecording, OnlySparseMethodsHaveAGainAtARatio) {
  EXPECT_EQ(refusal(least + recording("ratios: [10 %], method: ar_topk")),
            "s.yaml:5:56: `learner.record.method`: `ar_topk` has no gain at a given ratio; write a sparse "
            "method such as `topk`");
  EXPECT_THAT(refusal(least + recording("ratios: [10 %], method: topp")), HasSubstr("did you mean `topk`?"));
}

TEST(CheckLearner, KeysOfAnotherKindAreNotKnown) {
  EXPECT_THAT(refusal(least + "learner: {kind: live, file: x}\n"), HasSubstr("`learner.file`"));
  EXPECT_THAT(refusal(least + "synchronisation: {method: bsp, every: 3}\n"),
              HasSubstr("`synchronisation.every`"));
  EXPECT_THAT(refusal(least + "synchronisation: {method: ssp}\n"),
              HasSubstr("the key `synchronisation.staleness` is missing"));
  EXPECT_THAT(refusal(least + "synchronisation: periodic\n"),
              HasSubstr("the key `synchronisation.every` is missing"));
}

TEST(SettleLearner, AnEpochIsTheDataSetWhereNothingElseIsSaid) {
  EXPECT_EQ(first_arm(without_samples("learner: live\n")).work.training.samples, 3823);
  EXPECT_EQ(first_arm(without_samples("learner: {kind: live, dataset: {name: cifar10, path: x}}\n"))
                .work.training.samples,
            50000);
  EXPECT_EQ(first_arm(least + "learner: live\n").work.training.samples, 12800);
}

TEST(SettleLearner, ASharedSampleIsAsLargeAsItsDataSetStoresIt) {
  const std::string more = "learner: {kind: live, injection: {workers: 50 %, batch: 50 %";
  EXPECT_EQ(shared_sample(first_arm(least + more + "}}\n").learner.kind), netmodels::Bytes{65});
  EXPECT_EQ(shared_sample(first_arm(least + more + "}, dataset: {name: mnist, path: x}}\n").learner.kind),
            netmodels::Bytes{785});
  EXPECT_EQ(shared_sample(first_arm(least + more + ", sample_size: 3 kB}}\n").learner.kind),
            netmodels::Bytes{3000});
}

TEST(KnownSamples, AreThoseOfPublishedSetsThatAreTrainedOn) {
  const auto trained_on = [](std::string_view name) {
    return learning::learners::learner("live",
                                       LiveSettings{.dataset = *learning::datasets::find_dataset(name)});
  };
  EXPECT_EQ(known_samples(Learner().kind), std::nullopt);
  EXPECT_EQ(known_samples(learning::learners::live()), 3823);
  EXPECT_EQ(known_samples(trained_on("fashion_mnist")), 60000);
  EXPECT_EQ(known_samples(trained_on("text")), std::nullopt);
  EXPECT_EQ(known_samples(*learning::learners::find_learner("replay")), std::nullopt);
}

TEST(LearnerWarnings, AnEpochThatIsNotTheDataSetIsWarnedOf) {
  EXPECT_THAT(warnings(least + "learner: live\n"),
              ElementsAre("s.yaml:4:43: an epoch of this scenario is 12800 samples, one of its data set "
                          "3823 (the learning rate uses epochs of the data set, changes of the cluster use "
                          "epochs of the scenario)"));
  EXPECT_THAT(warnings(without_samples("learner: live\n")), IsEmpty());
}

TEST(LearnerWarnings, ARunThatEndsBeforeItsFirstExchangeIsWarnedOf) {
  const auto warnings_of = [](const std::string& steps) {
    return study(least + "synchronisation: {method: periodic, every: 500}\n",
                 {"training={batch: 32, steps: " + steps + "}"})
        .warnings;
  };
  EXPECT_THAT(warnings_of("499"),
              ElementsAre(EndsWith("`training` ends after 499 steps, before the first exchange, after 500")));
  EXPECT_THAT(warnings_of("500"), IsEmpty());
}

TEST(LearnerWarnings, LocalStepsThatBeginAfterTheEndAreWarnedOf) {
  const auto warnings_of = [](const std::string& step) {
    return study(least + "synchronisation: {method: post_local, every: 7, local_from: step " + step + "}\n",
                 {"training={batch: 32, steps: 300}"})
        .warnings;
  };
  EXPECT_THAT(warnings_of("300"),
              ElementsAre(EndsWith("`synchronisation.local_from`, step 300, is after the end of training: it "
                                   "has no effect")));
  EXPECT_THAT(warnings_of("292"), IsEmpty());
}

TEST(CheckLearner, QsrNeedsALearningRate) {
  const std::string qsr = "synchronisation: {method: qsr, every: 2, alpha: 0.4}\n";
  EXPECT_EQ(refusal(least + qsr),
            "s.yaml:5:27: `synchronisation: qsr` needs the learning rate of each step; `learner: none` has "
            "none; write `learner: live`, `synchronisation: bsp` or `synchronisation: {method: fedavg, "
            "every_epochs: 0.25}`");
  EXPECT_EQ(refusal(least + qsr + "learner: live\n"), "accepted");
}

TEST(CheckLearner, DynamicAveragingNeedsModels) {
  const std::string dynamic = "synchronisation: {method: dynamic_averaging, threshold: 0.5}\n";
  EXPECT_EQ(refusal(least + dynamic),
            "s.yaml:5:27: `synchronisation: dynamic_averaging` needs the models of the workers; `learner: "
            "none` has none; write `learner: live`, `synchronisation: bsp` or `synchronisation: {method: "
            "fedavg, every_epochs: 0.25}`");
  EXPECT_EQ(refusal(least + dynamic + "learner: live\n"), "accepted");
}

TEST(CheckLearner, FragmentsAndDelaysFitTheModelAndTheNetwork) {
  const std::string streaming = "synchronisation: {method: diloco, every: 20, ";
  EXPECT_EQ(refusal(least + "synchronisation: {method: diloco, every: 130, fragments: 65}\n"),
            "s.yaml:5:58: `synchronisation.fragments`: 65 fragments of a model of 64 layers; at most 64; a "
            "workload "
            "described by its layers has more");
  EXPECT_EQ(
      refusal(least + streaming + "delay: 21}\n"),
      "s.yaml:5:53: `synchronisation.delay`: an exchange that overlaps 21 steps ends after the next one of "
      "its fragment begins, 20 steps later; at most 19");
  EXPECT_EQ(refusal(with_cluster("workers: 4, " + good_link + ", changes: [{at: step 5, latency: 2 ms}]") +
                    streaming + "delay: 2}\n"),
            "s.yaml:5:53: `synchronisation.delay: 2` needs a network that stays as it is; `cluster.changes` "
            "changes it; leave out `cluster.changes` or `synchronisation.delay`");
  EXPECT_EQ(refusal(least + streaming + "delay: 2}\n"), "accepted");
}

TEST(CheckLearner, EagerUpdatesFitTheNetworkAndHaveNoOtherOverlap) {
  const std::string eager = "synchronisation: {method: diloco, every: 20, eager: true";
  EXPECT_EQ(refusal(least + eager + "}\n"), "accepted");
  EXPECT_EQ(
      refusal(least + eager + ", delay: 2}\n"),
      "s.yaml:5:53: `synchronisation.eager`: eager updates overlap a whole round of 20 steps, and `delay: 2` "
      "states another overlap; leave out one of the two");
  EXPECT_EQ(refusal(with_cluster("workers: 4, " + good_link + ", changes: [{at: step 5, latency: 2 ms}]") +
                    eager + "}\n"),
            "s.yaml:5:53: `synchronisation.eager: true` needs a network that stays as it is; "
            "`cluster.changes` changes it; leave out `cluster.changes` or `synchronisation.eager`");
}

TEST(CheckLearner, AResidualDecaysWhereThereIsOneAndNobodyRecordsIt) {
  const std::string sent = least + "compression: {method: topk, ratio: 0.1}\n";
  EXPECT_EQ(refusal(sent + "learner: {kind: live, residual_decay: 0.95}\n"), "accepted");
  EXPECT_EQ(refusal(sent + "learner: {kind: live, residual_decay: 95 %}\n"), "accepted");
  EXPECT_EQ(refusal(least + "learner: {kind: live, error_feedback: false, residual_decay: 0.95}\n"),
            "s.yaml:5:62: `learner.residual_decay: 0.95` needs a residual of what was not sent; "
            "`learner.error_feedback: false` keeps none; leave out `learner.error_feedback` or "
            "`learner.residual_decay`");
  EXPECT_EQ(refusal(least + "learner: {kind: live, residual_decay: 0.95, record: {}}\n"),
            "s.yaml:5:53: `learner.record` needs a residual that does not decay; `learner.residual_decay: "
            "0.95` lets it decay; leave out `learner.residual_decay` or `learner.record`");
}

TEST(CheckLearner, PostLocalStepsBeginAtAStepOrAnEpoch) {
  const std::string later = "synchronisation: {method: post_local, every: 2, local_from: ";
  EXPECT_EQ(refusal(least + later + "epoch 1}\n"), "accepted");
  EXPECT_EQ(
      refusal(least + later + "3 s}\n"),
      "s.yaml:5:61: `synchronisation.local_from`: local steps begin at a step or an epoch, not at a time; "
      "write for example `local_from: epoch 10`");
}

TEST(LearnerWarnings, AStepLargerThanTheDataSetIsWarnedOf) {
  const auto found = study(without_samples("learner: live\n"), {"training.batch=1000"}).warnings;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0], HasSubstr(": a step of all workers takes 4000 samples, the data set has 3823"));
  EXPECT_THAT(study(without_samples("learner: live\n"), {"training.batch=900"}).warnings, IsEmpty());
}

TEST(CheckLearner, MomentaNeedADenseWarmUpAndSumsThatAreCodedAgain) {
  const std::string learner = "learner: {kind: live, optimizer: {method: onebit_adam}}\n";
  const std::string good = "compression: {method: onebit_adam, warm_up: {shape: dense, steps: 20}}\n";
  const auto lacks = [](const std::string& what, const std::string& hint) {
    return HasSubstr("`learner.optimizer: onebit_adam` needs " + what + "; write " + hint +
                     "`learner.optimizer: sgd`");
  };
  EXPECT_EQ(refusal(least + good + learner), "accepted");
  EXPECT_THAT(refusal(least + learner),
              lacks("a compressed exchange; `compression.method: none` compresses nothing",
                    "`compression.method: block_4bit` or "));
  EXPECT_THAT(
      refusal(least + "compression: {method: topk, ratio: 1 %, warm_up: {shape: dense, steps: 20}}\n" +
              learner),
      lacks("a method whose sums are coded again; `compression.method: topk` sends other sums", ""));
  EXPECT_THAT(refusal(least + "compression: {policy: gravac, method: topk}\n" + learner),
              HasSubstr("`learner.optimizer: onebit_adam` needs a method whose sums are coded again; "));
  EXPECT_THAT(refusal(least + "compression: {method: onebit_adam}\n" + learner),
              lacks("a dense warm-up, and nothing provides it",
                    "`compression.warm_up: {shape: dense, steps: 200}` or "));
  EXPECT_THAT(
      refusal(least + good + "learner: {kind: live, optimizer: {method: onebit_lamb}, record: {}}\n"),
      HasSubstr("`learner.record` needs gradients as they were computed; `learner.optimizer: onebit_lamb` "
                "changes what is sent; write `learner.optimizer: sgd`, or leave out `learner.record`"));
  EXPECT_THAT(
      refusal(least + "compression: {method: onebit_adam}\n" + learner +
              "synchronisation: {method: periodic, every: 2}\n"),
      HasSubstr(
          "`learner.optimizer: onebit_adam` needs an exchange of gradients in every step; `synchronisation: "
          "periodic` has steps without one; write `synchronisation: bsp` or `learner.optimizer: sgd`"));
  EXPECT_THAT(
      refusal(least + good + "learner: {kind: live, optimizer: {method: onebit_adam, max_norm: 1}}\n"),
      HasSubstr("`learner.optimizer.max_norm`: `onebit_adam` exchanges momenta, so no worker has the mean "
                "gradient that would be clipped; leave it out"));
}

TEST(CheckLearner, ZeroOneAndItsOptimizerNeedEachOther) {
  const std::string schedule = "synchronisation: {method: zero_one, freeze_after: 30}\n";
  const std::string signs = "compression: {method: onebit_adam}\n";
  const std::string learner = "learner: {kind: live, optimizer: {method: zero_one_adam}}\n";
  EXPECT_EQ(refusal(least + schedule + signs + learner), "accepted");
  EXPECT_EQ(refusal(least + schedule + signs), "accepted");  // a time, and no accuracy
  EXPECT_EQ(refusal(least + signs + learner),
            "s.yaml:6:43: `learner.optimizer: zero_one_adam` needs steps that exchange momenta; "
            "`synchronisation: bsp` exchanges none; write `synchronisation: {method: zero_one, freeze_after: "
            "300}` or `learner.optimizer: sgd`");
  EXPECT_EQ(
      refusal(least + schedule + signs + "learner: live\n"),
      "s.yaml:5:27: `synchronisation: zero_one` needs an optimizer that accumulates momenta; "
      "`learner.optimizer: sgd` accumulates none; write `learner.optimizer: zero_one_adam`, "
      "`synchronisation: bsp` or `synchronisation: {method: post_local, every: 20, local_from: epoch 1}`");
  EXPECT_EQ(refusal(least + schedule + signs + "learner: {kind: parametric, file: resnet18_cifar10}\n"),
            "s.yaml:5:27: `synchronisation: zero_one` needs an optimizer that accumulates momenta; `learner: "
            "parametric` accumulates none; write `learner: none`, `learner: live`, `synchronisation: bsp` or "
            "`synchronisation: {method: post_local, every: 20, local_from: epoch 1}`");
}

TEST(CheckLearner, ZeroOneSendsSumsThatAreCodedAgain) {
  const std::string schedule = "synchronisation: {method: zero_one, freeze_after: 30}\n";
  EXPECT_THAT(refusal(least + schedule),
              HasSubstr("`synchronisation: zero_one` needs a compressed exchange; `compression.method: none` "
                        "compresses nothing; write `compression.method: block_4bit`, `synchronisation: bsp` "
                        "or `synchronisation: {method: post_local, every: 20, local_from: epoch 1}`"));
  EXPECT_THAT(refusal(least + schedule + "compression: {method: topk, ratio: 1 %}\n"),
              HasSubstr("`synchronisation: zero_one` needs a method whose sums are coded again; "
                        "`compression.method: topk` sends other sums; write `synchronisation: bsp` or "
                        "`synchronisation: {method: post_local, every: 20, local_from: epoch 1}`"));
  EXPECT_THAT(
      refusal(least + schedule + "compression: {method: onebit_adam, warm_up: {shape: dense, steps: 20}}\n"),
      HasSubstr("`compression.warm_up` with whole gradients needs an exchange of gradients in every step; "
                "`synchronisation: zero_one` has steps without one; write `synchronisation: bsp`, or leave "
                "out `compression.warm_up`"));
  EXPECT_THAT(refusal(least + schedule + "learner: live\ncompression: {policy: gravac, method: topk}\n"),
              HasSubstr("`synchronisation: zero_one` needs a method whose sums are coded again; "
                        "`compression.method: topk` sends other sums; write `synchronisation: bsp`"));
}

TEST(CheckLearner, ZeroOneIsOfWholeModelsThatWorkersExchangeByThemselves) {
  const std::string zero_one =
      least + "synchronisation: {method: zero_one, freeze_after: 30}\ncompression: {method: onebit_adam}\n";
  EXPECT_THAT(refusal(zero_one + "parallelism: {data: zero2}\n", {"workload=gpt2_small"}),
              HasSubstr("`synchronisation: zero_one` needs the whole model and optimizer on each worker; "
                        "`parallelism.data` without `site` shards them; write `synchronisation: bsp`, or "
                        "leave out `parallelism.data`"));
  EXPECT_THAT(
      refusal(zero_one + "parallelism: {site: node}\n",
              {"cluster.workers_per_node=2", "cluster.inner_link={latency: 5 us, bandwidth: 300 GB/s}"}),
      HasSubstr("`parallelism.site: node` needs an exchange of models, always; `synchronisation: zero_one` "
                "does not always exchange them; write `synchronisation: {method: fedavg, every_epochs: "
                "0.25}`, `synchronisation: {method: decoupled_diloco, every: 24, fragments: 24}` or "
                "`parallelism.site: none`"));
  EXPECT_THAT(refusal(zero_one + "exchange: {through: {kind: server, link: {latency: 1 ms, bandwidth: 1 "
                                 "Gbit/s}}}\n"),
              HasSubstr("`exchange.through` needs an exchange of models, always; `synchronisation: zero_one` "
                        "does not always exchange them; write `synchronisation: {method: fedavg, "
                        "every_epochs: 0.25}`, or leave out `exchange.through`"));
  EXPECT_THAT(refusal(zero_one + "learner: {kind: live, optimizer: {method: zero_one_adam}, record: {}}\n"),
              HasSubstr("`learner.record` needs an exchange of gradients in every step; `synchronisation: "
                        "zero_one` has steps without one; leave out `learner.record`"));
}

TEST(LearnerWarnings, AVarianceThatIsNeverFrozenIsWarnedOf) {
  const auto warnings_of = [](const std::string& steps) {
    return study(least + "synchronisation: {method: zero_one, freeze_after: " + steps +
                     "}\ncompression: {method: onebit_adam, time: 1 ms}\n",
                 {"training={batch: 32, steps: 300}"})
        .warnings;
  };
  EXPECT_THAT(warnings_of("300"),
              ElementsAre(EndsWith("`synchronisation.freeze_after`, step 300, is after the end of training: "
                                   "it has no effect")));
  EXPECT_THAT(warnings_of("299"), IsEmpty());
}

}  // namespace
}  // namespace sim::scenario
