// Requirements of compression and its policies: the text of every error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/accordion.hpp"
#include "policies/flexible_compression.hpp"
#include "policies/gravac.hpp"
#include "policies/scadles_compression.hpp"
#include "sim/scenario/checks.hpp"
#include "tests/policies/policy_host.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using ::testing::HasSubstr;

/// The smallest scenario with compression on line 5 from column 15 on, and a learner.
std::string compressing(const std::string& keys) {
  return least + "compression: {" + keys + "}\nlearner: live\n";
}

Compression read_compression(const std::string& keys) {
  return study(compressing(keys)).arms.at(0).exchange.compression;
}

TEST(CheckCompression, SparseMethodsNeedARatioAndOthersKnowNone) {
  EXPECT_EQ(refusal(compressing("method: topk")),
            "s.yaml:5:14: the key `compression.ratio` is missing, although `topk` needs it; write for "
            "example `ratio: 0.01` (kept / original)");
  EXPECT_EQ(refusal(compressing("method: fp16, ratio: 1 %")),
            "s.yaml:5:36: `compression.ratio: 1 %` needs a method that sends a share of the values; "
            "`compression.method: fp16` sends all; write `compression.method: topk` or `compression.method: "
            "powersgd`, or leave out `compression.ratio`");
  EXPECT_EQ(refusal(compressing("method: fp16, ratio: 1")), "accepted");
}

TEST(CheckCompression, ARankGivesTheRatioOfBothFactors) {
  // Layers of 15625 values: 125 x 125; rank 4 sends 4 (125 + 125) of them.
  EXPECT_NEAR(read_compression("method: powersgd, rank: 4").ratio, 1000.0 / 15625, 1e-12);
  EXPECT_EQ(read_compression("method: powersgd, rank: 4000").ratio, 1);
  EXPECT_EQ(
      refusal(compressing("method: powersgd, rank: 4, ratio: 1 %")),
      "s.yaml:5:39: `compression.rank`: `compression.ratio` is stated as well, and follows from the rank; "
      "leave out one of them");
  EXPECT_EQ(refusal(compressing("method: topk, ratio: 1 %, rank: 4")),
            "s.yaml:5:47: `compression.rank: 4` needs a method that sends factors; `compression.method: "
            "topk` sends "
            "none; leave it out, or write `compression.method: powersgd`");
}

TEST(CheckCompression, ChangesOfModelsCanBeCompressed) {
  for (const char* method : {"periodic, every: 6", "fedavg, every_epochs: 1", "diloco, every: 6"}) {
    const std::string text =
        compressing("method: block_1bit") + "synchronisation: {method: " + method + "}\n";
    EXPECT_EQ(refusal(text), "accepted");
    EXPECT_THAT(study(text).warnings, ::testing::Each(::testing::Not(HasSubstr("compress")))) << method;
  }
}

TEST(CheckCompression, ModelsThatStayApartHaveNoChangeToCompress) {
  EXPECT_EQ(refusal(compressing("method: block_1bit") + "synchronisation: {method: easgd, every: 6}\n"),
            "s.yaml:5:23: `compression.method: block_1bit` needs one model on all workers after an exchange; "
            "`synchronisation: easgd` leaves each worker its own; write `synchronisation: bsp`, "
            "`synchronisation: {method: fedavg, every_epochs: 0.25}` or `compression.method: none`");
}

TEST(CheckCompression, EagerUpdatesNeedMessagesThatAWorkerCanMakeAlone) {
  const std::string eager = "synchronisation: {method: diloco, every: 20, eager: true}\n";
  EXPECT_EQ(refusal(compressing("method: powersgd, ratio: 1 %") + eager),
            "s.yaml:5:23: `compression.method: powersgd` needs two rounds among the workers; "
            "`synchronisation.eager: true` allows one; write `compression.method: topk`, or leave out "
            "`synchronisation.eager`");
  EXPECT_EQ(refusal(compressing("method: block_topk, ratio: 1 %") + eager), "accepted");
}

TEST(CheckCompression, ChangesNeedAScale) {
  const std::string periodic = "synchronisation: {method: periodic, every: 6";
  EXPECT_EQ(refusal(compressing("method: signsgd") + periodic + "}\n"),
            "s.yaml:5:23: `compression.method: signsgd` needs an exchange of gradients alone; "
            "`synchronisation.averaged: parameters` exchanges models; write `synchronisation.averaged: "
            "gradients`, `compression.method: none` or `compression.method: fp16`");
  EXPECT_EQ(refusal(compressing("method: signsgd") + periodic + ", averaged: gradients}\n"), "accepted");
}

TEST(CheckCompression, IndicesHaveFourBytesOrEight) {
  EXPECT_EQ(refusal(compressing("method: topk, ratio: 1 %, index_bytes: 6")),
            "s.yaml:5:54: `compression.index_bytes`: `6` is not a width of an index; accepted: 4 or 8");
}

TEST(CheckCompression, PoliciesChooseTheRatioThemselves) {
  EXPECT_EQ(refusal(compressing("policy: gravac, method: topk, ratio: 1 %")),
            "s.yaml:5:52: `compression.ratio: 1 %` needs a policy that leaves the ratio open; "
            "`compression.policy: gravac` chooses it itself; write `compression.policy: fixed` or "
            "`compression.policy: {policy: scadles, method: topk}`, or leave out `compression.ratio`");
  EXPECT_EQ(refusal(compressing("policy: gravac, method: topk")), "accepted");
  EXPECT_EQ(refusal(compressing("policy: accordion, method: topk")), "accepted");
  EXPECT_EQ(refusal(compressing("policy: accordion_per_step, method: topk")), "accepted");
}

TEST(CheckCompression, ScadlesIsToldTheRatioThatItUsesOrNot) {
  EXPECT_EQ(refusal(compressing("policy: scadles, method: topk, ratio: 1 %")), "accepted");
  EXPECT_EQ(refusal(compressing("policy: scadles, method: topk")),
            "s.yaml:5:14: the key `compression.ratio` is missing, although `topk` needs it; write for "
            "example `ratio: 0.01` (kept / original)");
}

TEST(CheckCompression, OneTimeDoesNotFitAPolicy) {
  EXPECT_EQ(refusal(compressing("policy: gravac, method: topk, time: 3 ms")),
            "s.yaml:5:51: `compression.time: 3 ms` needs the same compression in every step; "
            "`compression.policy: gravac` may change it in each step; write `compression.policy: fixed`, or "
            "leave out `compression.time`");
}

TEST(CheckCompression, FlexibleChoosesItsMethodAndTheOthersNeedASparseOne) {
  EXPECT_EQ(refusal(compressing("policy: flexible, method: topk, flexible: {ratios: [10 %, 1 %]}")),
            "s.yaml:5:41: `compression.method: topk` needs a policy that leaves the method open; "
            "`compression.policy: flexible` chooses it itself; write `compression.policy: fixed`, "
            "`compression.policy: {policy: accordion, method: topk}` or `compression.method: none`");
  EXPECT_EQ(refusal(compressing("policy: flexible, flexible: {ratios: [10 %, 1 %]}")), "accepted");
  EXPECT_EQ(refusal(compressing("policy: accordion, method: fp16")),
            "s.yaml:5:23: `compression.policy: accordion` needs a method that sends a share of the values; "
            "`compression.method: fp16` sends all; write `compression.method: topk`, `compression.method: "
            "powersgd` or `compression.policy: fixed`");
  EXPECT_EQ(refusal(compressing("policy: accordion")),
            "s.yaml:5:23: `compression.policy: accordion` needs a method that sends a share of the values; "
            "`compression.method: none` sends all; write `compression.method: topk`, `compression.method: "
            "powersgd`, `compression.policy: fixed` or `compression.policy: {policy: flexible, flexible: "
            "{ratios: [10 %, 3.3 %, 1.1 %, 0.4 %, 0.1 %]}}`");
}

TEST(CheckCompression, PoliciesNeedGradientsOfEveryStep) {
  EXPECT_EQ(refusal(least + "compression: {policy: gravac, method: topk}\n"),
            "s.yaml:5:23: `compression.policy: gravac` needs gradients; `learner: none` computes none; write "
            "`learner: live`, `learner: parametric` or `compression.policy: fixed`");
  EXPECT_EQ(refusal(compressing("policy: gravac, method: topk") +
                    "synchronisation: {method: periodic, every: 2}\n"),
            "s.yaml:5:23: `compression.policy: gravac` needs an exchange of gradients in every step; "
            "`synchronisation: periodic` has steps without one; write `synchronisation: bsp` or "
            "`compression.policy: fixed`");
}

TEST(CheckCompression, GravacsFactorsStandInOrder) {
  EXPECT_EQ(refusal(compressing("policy: gravac, method: topk, gravac: {min_factor: 20, max_factor: 10}")),
            "s.yaml:5:82: `compression.gravac.max_factor`: it is below `min_factor`; write at least 20");
  EXPECT_EQ(refusal(compressing("policy: gravac, method: topk, gravac: {min_factor: 20, max_factor: 20}")),
            "accepted");
}

TEST(CheckCompression, TimesAreOfKnownMethodsOnceEach) {
  const std::string topk = "{method: topk, ratio: 10 %, time: 35 ms}";
  const auto with_times = [](const std::string& times) {
    return compressing("policy: gravac, method: topk, times: [" + times + "]");
  };
  EXPECT_EQ(refusal(with_times(topk + ", {method: topk, ratio: 1 %, time: 35 ms}")), "accepted");
  EXPECT_EQ(refusal(with_times(topk + ", {method: dgc, ratio: 10 %, time: 35 ms}")), "accepted");
  EXPECT_EQ(refusal(with_times(topk + ", {method: topk, ratio: 0.1, time: 3 ms}")),
            "s.yaml:5:95: `compression.times[1]`: duplicate time for this method and ratio; give one time "
            "for each");
  EXPECT_THAT(refusal(with_times("{method: topp, ratio: 10 %, time: 35 ms}")),
              ::testing::AllOf(HasSubstr("`compression.times[0].method`: "), HasSubstr("`topk`")));
  EXPECT_THAT(refusal(with_times("{method: topk, ratio: 10 %}")), HasSubstr("`compression.times[0].time`"));
}

TEST(CheckCompression, KeysOfAnotherPolicyAreNotKnown) {
  EXPECT_THAT(refusal(compressing("policy: gravac, method: topk, scadles: {threshold: 0.1}")),
              HasSubstr("`compression.scadles`"));
  EXPECT_THAT(refusal(compressing("policy: flexible")), HasSubstr("`compression.flexible"));
  EXPECT_THAT(refusal(compressing("policy: gravack, method: topk")), HasSubstr("did you mean `gravac`?"));
}

TEST(CheckCompression, AWarmUpNeedsARatioThatFallsAndAnExchangeInEveryStep) {
  const std::string warm_up = "warm_up: {epochs: 4}";
  EXPECT_EQ(refusal(compressing("method: topk, ratio: 1 %, " + warm_up)), "accepted");
  EXPECT_EQ(refusal(compressing("policy: gravac, method: topk, " + warm_up)), "accepted");
  EXPECT_EQ(refusal(compressing("method: fp16, " + warm_up)),
            "s.yaml:5:38: `compression.warm_up` needs a method that sends a share of the values; "
            "`compression.method: fp16` sends all; write `compression.method: topk` or `compression.method: "
            "powersgd`, or leave out `compression.warm_up`");
  EXPECT_THAT(refusal(compressing("method: none, warm_up: {epochs: 4, shape: dense}")),
              HasSubstr("`compression.warm_up` with whole gradients needs a compressed exchange; "
                        "`compression.method: none` compresses nothing; write `compression.method: fp16` or "
                        "`compression.method: topk`, or leave out `compression.warm_up`"));
  EXPECT_EQ(
      refusal(compressing("method: topk, ratio: 1 %, " + warm_up) +
              "synchronisation: {method: periodic, every: 2}\n"),
      "s.yaml:5:50: `compression.warm_up` needs an exchange of gradients in every step; `synchronisation: "
      "periodic` has steps without one; write `synchronisation: bsp`, or leave out `compression.warm_up`");
}

TEST(CheckCompression, AnyMethodHasADenseWarmUpOfEpochsOrSteps) {
  EXPECT_EQ(refusal(compressing("method: fp16, warm_up: {epochs: 1, shape: dense}")), "accepted");
  EXPECT_EQ(refusal(compressing("method: onebit_adam, warm_up: {steps: 20, shape: dense}")), "accepted");
  EXPECT_EQ(refusal(compressing("method: topk, ratio: 1 %, warm_up: {steps: 20, shape: dense}")), "accepted");
  EXPECT_THAT(refusal(compressing("method: topk, ratio: 1 %, warm_up: {steps: 20}")),
              HasSubstr("`compression.warm_up.steps`: a ratio falls over epochs, not over steps; write "
                        "`epochs`, or `shape: dense`"));
  std::string text = least;
  text.replace(text.find("epochs: 2, samples: 12800"), 25, "steps: 10");
  EXPECT_EQ(refusal(text + "compression: {method: fp16, warm_up: {steps: 4, shape: dense}}\n"), "accepted");
}

TEST(CheckCompression, AWarmUpThatTheRunDoesNotOutlastIsWarnedOf) {
  const auto warned = [](const std::string& length, const std::string& compression) {
    std::string text = least;
    text.replace(text.find("epochs: 2, samples: 12800"), 25, length);
    std::string all;
    for (const std::string& warning : study(text + "compression: {" + compression + "}\n").warnings)
      all += warning;
    return all;
  };
  const auto dense = [&](const std::string& length, const std::string& warm_up) {
    return warned(length, "method: fp16, warm_up: {shape: dense, " + warm_up + "}");
  };
  EXPECT_THAT(
      dense("steps: 10", "steps: 10"),
      HasSubstr(
          "s.yaml:5:38: the warm-up ends at step 10, after the end of training: nothing is compressed"));
  EXPECT_THAT(dense("epochs: 2, samples: 12800", "epochs: 3"),
              HasSubstr("the warm-up ends at epoch 3, after the end of training: nothing is compressed"));
  EXPECT_THAT(dense("steps: 10, samples: 12800", "epochs: 1"), HasSubstr("the warm-up ends at epoch 1"));
  EXPECT_THAT(dense("steps: 10", "steps: 9"), ::testing::Not(HasSubstr("the warm-up ends")));
  EXPECT_THAT(
      warned("epochs: 2, samples: 12800", "method: topk, ratio: 1 %, warm_up: {epochs: 5}"),
      HasSubstr("the warm-up ends at epoch 5, after the end of training: the stated ratio is not reached"));
}

TEST(CheckCompression, AWarmUpByEpochsNeedsToKnowAnEpoch) {
  std::string text = least;
  text.replace(text.find("epochs: 2, samples: 12800"), 25, "steps: 10");
  EXPECT_THAT(refusal(text + "compression: {method: topk, ratio: 1 %, warm_up: {epochs: 4}}\n"),
              HasSubstr("`training.samples` is missing, although compression warms up by epochs"));
}

TEST(CheckCompression, AWarmUpKeepsTheMethodAndSoTheKindOfCollective) {
  EXPECT_THAT(refusal(compressing("method: topk, ratio: 1 %, warm_up: {epochs: 4}") +
                      "exchange: {collective: ring_allreduce}\n"),
              HasSubstr("`ring_allreduce` cannot carry what the method `topk` sends"));
}

TEST(CheckCompression, PowerSgdNeedsTheRatioOfItsFactors) {
  EXPECT_EQ(refusal(least + "compression: {method: powersgd, ratio: 1 %}\n"), "accepted");
  EXPECT_THAT(refusal(least + "compression: {method: powersgd}\n"), HasSubstr("`powersgd` needs it"));
}

TEST(CheckCompression, SettingsAreReadAsTheyAreWritten) {
  using policies::compression;
  const Compression gravac = read_compression(
      "policy: gravac, method: topk, gravac: {min_factor: 5, gain: 0.9, window: 20, scaling: geometric, "
      "smoothing: 0.3}, times: [{method: topk, ratio: 10 %, time: 35 ms}]");
  EXPECT_EQ(gravac.policy,
            compression("gravac", policies::Gravac::Settings{.min_factor = 5,
                                                             .gain = 0.9,
                                                             .window = 20,
                                                             .scaling = policies::FactorScaling::geometric,
                                                             .smoothing = 0.3}));
  EXPECT_EQ(gravac.times, (std::vector<CompressionTime>{{"topk", 0.1, {0.035}}}));
  EXPECT_EQ(
      read_compression("policy: flexible, flexible: {ratios: [10 %, 1 %], steps_each: 4, time_weight: "
                       "70 %, compression_weight: 0.4, gain_window: 7, gain_discount: 2 %, gain_trigger: "
                       "drift, search: network_change, choice: fastest, gain_of: norms, solver: nsga2}")
          .policy,
      compression("flexible",
                  policies::FlexibleCompression::Settings{.ratios = {0.1, 0.01},
                                                          .steps_each = 4,
                                                          .gain_window = 7,
                                                          .gain_discount = 0.02,
                                                          .time_weight = 0.7,
                                                          .compression_weight = 0.4,
                                                          .gain_trigger = policies::GainTrigger::drift,
                                                          .search = policies::SearchMoment::network_change,
                                                          .choice = policies::RatioRule::fastest,
                                                          .gain_of = policies::GainMeaning::norm,
                                                          .solver = policies::ParetoSolver::nsga2}));
  EXPECT_EQ(read_compression("policy: scadles, method: topk, ratio: 1 %, scadles: {threshold: 20 %, average: "
                             "epoch_mean, gain_of: norms}")
                .policy,
            compression("scadles",
                        policies::ScadlesCompression::Settings{.threshold = 0.2,
                                                               .average = policies::LossAverage::epoch_mean,
                                                               .gain_of = policies::GainMeaning::norm}));
  EXPECT_EQ(read_compression("policy: accordion, method: topk, accordion: {every_epochs: 2.5}").policy,
            compression("accordion", policies::Accordion::Settings{.every_epochs = 2.5}));
  EXPECT_EQ(read_compression("policy: accordion_per_step, method: topk, accordion_per_step: {smoothing: 0.1}")
                .policy,
            compression("accordion_per_step", policies::AccordionPerStep::Settings{.smoothing = 0.1}));
}

TEST(CheckCompression, APlainMeanHasNoSmoothing) {
  EXPECT_THAT(
      refusal(compressing(
          "policy: scadles, method: topk, ratio: 1 %, scadles: {average: epoch_mean, smoothing: 0.1}")),
      HasSubstr(
          "`compression.scadles.smoothing`: `average: epoch_mean` is a plain mean without weights; leave "
          "out `smoothing`, or write `average: exponential`"));
}

TEST(CheckCompression, TheExampleOfEveryPolicyIsReadable) {
  tests::FakePolicyHost host("Mine", "5feceb66ffc86f38");
  const policies::InstalledPolicyHost installed(host);
  for (const policies::CompressionRow& row : policies::compressions()) {
    const std::string example(row.example.substr(1, row.example.size() - 2));
    const bool needs_ratio = row.name == "scadles";
    EXPECT_EQ(read_compression(needs_ratio ? example + ", ratio: 1 %" : example).policy.name(), row.name);
  }
}

}  // namespace
}  // namespace sim::scenario
