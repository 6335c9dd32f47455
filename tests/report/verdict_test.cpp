// Verdicts: who wins, by how much, and which part of the step decided it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/diloco.hpp"
#include "policies/local_steps.hpp"
#include "sim/report/exclusion.hpp"
#include "sim/report/study_document.hpp"
#include "sim/report/verdict_reason.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Verdict, FewerBytesDecideWhereBandwidthCostsMost) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 154, .sent_mb = 178.9})}).explained = {
      explained("all", 14, 140)};
  test.add("topk", "topk", {phase("all", {.exchange_ms = 10, .compress_ms = 3, .sent_mb = 12.3})})
      .explained = {explained("all", 7, 3)};
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre("`dense` takes 254 ms per step. Faster, if it learns as well per sample: `topk` 2.2 "
                  "times (113 ms per step), because its exchange sends 12.3 MB instead of 178.9 MB per "
                  "worker and step."));
}

TEST(Verdict, BytesBetweenNodesDecideWhereTheyDifferMost) {
  const auto verdict = [](double own_between_mb, double others_between_mb) {
    const auto with = [](double bandwidth_ms, double between_mb) {
      engine::ExplainedStep step = explained("all", 1, bandwidth_ms);
      step.exchanges.front().between_nodes = netmodels::Bytes{between_mb * 1e6};
      return step;
    };
    TestStudy test;
    test.add("hsdp", "none", {phase("all", {.exchange_ms = 154, .sent_mb = 37.7})}).explained = {
        with(140, others_between_mb)};
    test.add("flexdemo", "none", {phase("all", {.exchange_ms = 10, .sent_mb = 35.3})}).explained = {
        with(9, own_between_mb)};
    return verdicts(test.played).front();
  };
  EXPECT_THAT(verdict(0.12, 2.53),
              HasSubstr("because its exchange sends 120 kB instead of 2.53 MB between nodes "
                        "per worker and step"));
  EXPECT_THAT(verdict(2.53, 2.53),
              HasSubstr("because its exchange sends 35.3 MB instead of 37.7 MB per worker "
                        "and step"));
}

TEST(Verdict, SaysWhereTheWinnerCompressesInAnUnknownTime) {
  TestStudy test;
  test.add("topk", "topk", {phase("all", {.exchange_ms = 10, .sent_mb = 1})});
  test.add("tree", "topk", {phase("all", {.exchange_ms = 99, .sent_mb = 9})});
  EXPECT_THAT(verdicts(test.played), ElementsAre(Not(HasSubstr("is unknown"))));
  for (SimulatedArm& arm : test.played.arms) arm.result.compression_level = scenario::CostLevel::unknown;
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(EndsWith("; the compression time of `topk` is unknown and counts as 0.")));
}

TEST(Verdict, AnUnknownTimeThatWouldBeAsFastIsNoTie) {
  TestStudy test;
  test.add("topk", "topk", {phase("all", {.exchange_ms = 10})}).result.compression_level =
      scenario::CostLevel::unknown;
  test.add("dense", "none", {phase("all", {.exchange_ms = 10})});
  EXPECT_THAT(verdicts(test.played), ElementsAre("`dense` takes 110 ms per step."));
}

TEST(Verdict, SaysNothingOfTheTimesThatALoserCompressesIn) {
  TestStudy test;
  test.add("topk", "topk", {phase("all", {.exchange_ms = 10, .sent_mb = 1})}).result.compression_level =
      scenario::CostLevel::unknown;
  test.add("dense", "none", {phase("all", {.exchange_ms = 9, .sent_mb = 9})});
  EXPECT_THAT(verdicts(test.played), ElementsAre(Not(HasSubstr("is unknown"))));
}

TEST(Verdict, FewerRoundsDecideWhereLatencyCostsMost) {
  TestStudy test;
  test.add("ring", "none", {phase("all", {.exchange_ms = 25, .sent_mb = 1})}).explained = {
      explained("all", 14, 11)};
  test.add("tree", "none", {phase("all", {.exchange_ms = 7, .sent_mb = 1})}).explained = {
      explained("all", 3, 4)};
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre(HasSubstr(
          "because latency, not bandwidth, decides: 3 rounds instead of 14 (3 ms instead of 14 ms)")));
}

TEST(Verdict, PlainDenseAllReduceIsSaidToWin) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 5, .sent_mb = 100})}).explained = {
      explained("all", 1, 4)};
  test.add("topk", "topk", {phase("all", {.exchange_ms = 2, .compress_ms = 50, .sent_mb = 5})}).explained = {
      explained("all", 1, 1)};
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre(AllOf(
          StartsWith("plain dense all-reduce wins, no compression pays off: `dense` takes 105 ms per step"),
          HasSubstr("because the exposed part of compressing takes 0 s instead of 50 ms"))));
}

TEST(Verdict, AllThatAreFasterThanTheExactArmAreListed) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 300, .sent_mb = 100})});
  test.add("a", "topk", {phase("all", {.exchange_ms = 20, .sent_mb = 2})});
  test.add("b", "topk", {phase("all", {.exchange_ms = 10, .sent_mb = 1})});
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre(
          "`dense` takes 400 ms per step. Faster, if they learn as well per sample: `b` 3.6 "
          "times (110 ms per step), because its exchange sends 1 MB instead of 100 MB per worker and step; "
          "`a` 3.3 times (120 ms per step)."));
}

TEST(Verdict, ForAScreenHasNoReasonsWhereOthersAreFaster) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 300, .sent_mb = 100})});
  test.add("tree", "none", {phase("all", {.exchange_ms = 500, .sent_mb = 100})});
  test.add("a", "topk", {phase("all", {.exchange_ms = 20, .sent_mb = 2})});
  EXPECT_THAT(short_verdicts(test.played),
              ElementsAre("`dense` wins with 400 ms per step, 33 % less time than `tree` (600 ms per step). "
                          "Faster, if it learns as well per sample: `a` 3.3 times (120 ms per step)."));
}

TEST(Verdict, EqualArmsAreSaidToBeEqual) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  test.add("b", "none", {phase("all", {})});
  EXPECT_THAT(verdicts(test.played), ElementsAre("`a` and `b` are equally fast: 100 ms per step."));
}

TEST(Verdict, ADifferenceWithinTheErrorOfPredictionsIsATie) {
  TestStudy test;
  test.add("a", "none", {phase("all", {.exchange_ms = 7})});
  test.add("b", "none", {phase("all", {.exchange_ms = 0})});
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre("`b` and `a` tie: `b` takes 100 ms per step, 6.5 % less time than `a` (107 ms per "
                  "step), because its exchange takes 0 s instead of 7 ms; differences up to 7.5 % are "
                  "within the error of predictions."));
}

TEST(Verdict, EachPhaseHasItsOwnWinner) {
  TestStudy test;
  test.add("a", "none", {phase("fast", {.exchange_ms = 1}), phase("slow", {.exchange_ms = 90})});
  test.add("b", "none", {phase("fast", {.exchange_ms = 2}), phase("slow", {.exchange_ms = 20})});
  const auto sentences = verdicts(test.played);
  ASSERT_EQ(sentences.size(), 3U);
  EXPECT_THAT(sentences[0], StartsWith("whole run: "));
  EXPECT_THAT(sentences[1], StartsWith("fast: `a` and `b` tie"));
  EXPECT_THAT(sentences[2], StartsWith("slow: `b` wins"));
}

TEST(Verdict, AWinnerThatNeedsMoreMemoryThanThereIsMayNotFit) {
  TestStudy test;
  test.add("slow", "none", {phase("all", {.exchange_ms = 90, .sent_mb = 10})});
  test.add("fast", "none", {phase("all", {.exchange_ms = 10, .sent_mb = 5})});
  EXPECT_THAT(verdicts(test.played), ElementsAre(Not(HasSubstr("may not fit"))));
  scenario::Scenario& arm = test.scenario();
  arm.work.workload.layers.resize(1);
  arm.work.workload.memory.emplace().outside = netmodels::Bytes{1e9};  // of each of 32 samples
  arm.work.device.emplace().memory_size = netmodels::Bytes{16e9};
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(HasSubstr("; `fast` may not fit: a worker needs 40 GB of memory, and its "
                                    "device has 16 GB.")));
}

TEST(Verdict, OverlapDecidesWhereTheNetworkIsNoLessBusy) {
  TestStudy test;
  engine::PhaseResult hidden = phase("all", {.exchange_ms = 5, .sent_mb = 10});
  hidden.exchange_busy = ms(50);
  test.add("hidden", "none", {hidden}).explained = {explained("all", 10, 40)};
  test.add("open", "none", {phase("all", {.exchange_ms = 50, .sent_mb = 10})}).explained = {
      explained("all", 10, 40)};
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(HasSubstr("because of overlap with the backward pass: 5 ms of 50 ms of exchange is "
                                    "exposed, against 50 ms of 50 ms")));
}

policies::SynchronisationChoice every_tenth() {
  return policies::synchronisation("periodic", policies::Periodic::Settings{10});
}

/// It sends less, too, but what it saves by hiding is more: 30 ms of 40.
TEST(Verdict, OverlapWithLaterStepsIsSaidOfDelayedExchanges) {
  TestStudy test;
  engine::PhaseResult hidden = phase("all", {.exchange_ms = 1e-12, .sent_mb = 9});  // left by rounding
  hidden.exchange_busy = ms(30);
  test.add("delayed", "topk", {hidden});
  policies::DiLoCo::Settings settings;
  settings.every = 8;
  settings.delay = 2;
  test.scenario().exchange.synchronisation = policies::synchronisation("diloco", settings);
  test.add("open", "topk", {phase("all", {.exchange_ms = 40, .sent_mb = 10})});
  test.scenario().exchange.synchronisation = every_tenth();
  const std::vector<Candidate> arms = comparisons(test.played).front().candidates;
  EXPECT_EQ(
      reason(arms[0], arms[1]),
      "because of overlap with later steps: 0 s of 30 ms of exchange is exposed, against 40 ms of 40 ms");
}

TEST(Verdict, LocalStepsAreFasterOnlyIfTheyLearnAsWell) {
  TestStudy test;
  test.add("bsp", "none", {phase("all", {.exchange_ms = 300, .sent_mb = 100})});
  test.add("local", "none", {phase("all", {.exchange_ms = 50, .sent_mb = 10})});
  test.scenario().exchange.synchronisation = every_tenth();
  test.add("a", "topk", {phase("all", {.exchange_ms = 20, .sent_mb = 2})});
  test.add("b", "topk", {phase("all", {.exchange_ms = 10, .sent_mb = 1})});
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(AllOf(StartsWith("`bsp` takes 400 ms per step. Faster, if they learn as well per "
                                           "sample: `b` 3.6 times (110 ms per step)"),
                                EndsWith("; `a` 3.3 times (120 ms per step); `local` 2.6 times (150 ms per "
                                         "step)."))));
}

TEST(Verdict, CompressingIsSaidToBeTheExposedPart) {
  TestStudy test;
  test.add("a", "topk", {phase("all", {.compress_ms = 10})});
  test.add("b", "topk", {phase("all", {.compress_ms = 90})});
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(HasSubstr("because the exposed part of compressing takes 10 ms instead of 90 ms")));
}

/// Computing takes 70 ms of both; exchanges 20 and 10 ms; the bubble 10 and 60 ms.
TEST(Verdict, ThePartsInsideAReplicaAreNotComputing) {
  TestStudy test;
  const auto add = [&](const std::string& name, double exchanges, double bubble) {
    test.add(name, "none", {phase("all", {.compute_ms = 70 + exchanges + bubble})});
    test.scenario().work.workload.replica = {4, 1000, {ms(exchanges), {}}, {ms(bubble), {}}};
  };
  add("short", 20, 10);
  add("long", 10, 60);
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(HasSubstr("because its devices wait for the pipeline for 10 ms instead of 60 ms, "
                                    "although it spends 10 ms more on exchanges inside replicas")));
}

TEST(Verdict, ArmsThatNeverExchangeDoNotCompete) {
  TestStudy test;
  test.add("bsp", "none", {phase("all", {.exchange_ms = 300, .sent_mb = 100})});
  test.add("local", "none", {phase("all", {.exchange_ms = 50, .sent_mb = 10})}).result.local_steps = 9;
  test.add("never", "none", {phase("all", {})}).result.local_steps = 10;
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(StartsWith("`local` wins"),
                          "`never` is not compared: all of its 10 steps are local, so that its workers never "
                          "exchange."));
}

// Stated are 100 steps between two merges. 125 are near enough, and 8 of 16 messages.
TEST(Verdict, ArmsThatHardlyMergeDoNotCompete) {
  TestStudy test;
  const auto add = [&](const std::string& name, const engine::MergingResult& merging) {
    test.add(name, "none", {phase("all", {})}).result.merging = merging;
    test.scenario().cluster.workers = 8;
    test.scenario().exchange.synchronisation =
        policies::synchronisation("decoupled_diloco", policies::DecoupledDiLoCo{{.every = 100}});
  };
  add("keeps-up", {4, 2, 125, 8});
  add("rare", {4, 8, 126, 0});
  add("late", {4, 2, 100, 9});
  add("never", {0, 0, {}, 0});
  EXPECT_EQ(why_not_compared(test.played.arms[0]), "");
  for (std::size_t arm : {1U, 2U, 3U})
    EXPECT_EQ(why_not_compared(test.played.arms[arm]), "hardly merges") << arm;
  const std::string hint =
      " come too late; a larger `every` or a `compression` needs less bandwidth, and a quorum waits for "
      "those "
      "who are away.";
  EXPECT_THAT(verdicts(test.played),
              ElementsAre("`rare` is not compared: a worker makes 126 steps between two merges of the same "
                          "values, 100 are stated, a merge has 8 of 8 workers, and 0 messages" +
                              hint,
                          "`late` is not compared: a worker makes 100 steps between two merges of the same "
                          "values, 100 are stated, a merge has 2 of 8 workers, and 9 messages" +
                              hint,
                          "`never` is not compared: nothing is merged, a merge has 0 of 8 workers, and 0 "
                          "messages" +
                              hint));
}

TEST(Verdict, ArmsOfAnotherWorldAreInTheSameOrder) {
  TestStudy test;
  test.add("even", "none", {phase("all", {})});
  test.add("one-slow", "none", {phase("all", {.wait_ms = 40})});
  test.scenario().cluster.speeds = {1, 1, 1, 1, 1, 1, 1, 0.7};
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre("`even` wins with 100 ms per step, 29 % less time than `one-slow` (140 ms per step), "
                  "because its workers wait for the slowest for 0 s instead of 40 ms."));
}

TEST(Verdict, RecoveryCountsOverTheWholeRun) {
  TestStudy test;
  test.add("calm", "none", {phase("all", {})});
  SimulatedArm& arm = test.add("broken", "none", {phase("all", {})});
  test.scenario().cluster.recovery = {1};
  arm.result.outside_steps = {1};
  arm.result.time += arm.result.outside_steps;
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre(HasSubstr("because probes, lost work and recoveries cost, spread over the steps, 0 s "
                            "instead of 100 ms")));
}

TEST(Verdict, InterruptedArmsDoNotCompete) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  test.add("b", "none", {phase("all", {.exchange_ms = 5})}).result.ending = engine::Ending::interrupted;
  EXPECT_THAT(verdicts(test.played), ElementsAre("`b` is not compared: it was interrupted after 10 steps."));
}

TEST(Verdict, ArmsOfAProductCompeteAlongOneAxis) {
  TestStudy test;
  test.study().axes = {"model", "exchange"};
  for (const std::string model : {"small", "large"}) {
    test.add(model + "/ring", "none", {phase("all", {.exchange_ms = model == "small" ? 15.0 : 50.0})});
    test.add(model + "/tree", "none", {phase("all", {.exchange_ms = model == "small" ? 2.0 : 90.0})});
  }
  const auto sentences = verdicts(test.played);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_THAT(sentences[0], StartsWith("small: `small/tree` wins"));
  EXPECT_THAT(sentences[1], StartsWith("large: `large/ring` wins"));
}

TEST(Verdict, ManyCombinationsAreCounted) {
  TestStudy test;
  test.study().axes = {"model", "exchange"};
  for (int model = 0; model < 12; ++model) {
    test.add(std::to_string(model) + "/ring", "none", {phase("all", {.exchange_ms = model < 4 ? 1.0 : 9.0})});
    test.add(std::to_string(model) + "/tree", "none", {phase("all", {.exchange_ms = 5})});
  }
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre("fastest per sample along `exchange`, of 12 combinations: `ring` in 4, `tree` in 8."));
}

TEST(Verdict, TimesOfStepsOfOtherBatchesNameTheBatches) {  // half of the samples in a quarter of the time
  TestStudy test;
  engine::PhaseResult half = phase("all", {.compute_ms = 25});
  half.samples_per_second /= 2;
  test.add("full", "none", {phase("all", {})});
  test.add("half", "none", {half});
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(HasSubstr(
                  "because its workers compute for 195.3 us instead of 390.6 us per sample, in steps of 128 "
                  "samples instead of 256")));
}

TEST(Verdict, FewerSamplesPerStepAreRankedBySample) {
  TestStudy test;
  engine::PhaseResult half = phase("all", {.compute_ms = 60});
  half.samples_per_second /= 2;
  test.add("full", "none", {phase("all", {})});
  test.add("half", "none", {half});
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(AllOf(StartsWith("`full` wins with 2560 samples/s"), Not(HasSubstr("per step")),
                                HasSubstr("because a step trains on 256 samples instead of 128"))));
}

/// Machines at so many USD per hour each, by which the study decides.
void rent(TestStudy& test, int machines, double usd_per_hour) {
  test.scenario().rented = {machines, {usd_per_hour / netmodels::seconds_per_hour}, "stated"};
  test.scenario().objective = scenario::StudyObjective::cost;
}

// Ten steps of 100 ms at 36 USD/h are 0.01 USD; of 150 ms at 12 USD/h they are 0.005 USD.
TEST(Verdict, TheCheaperArmWinsByCostThoughItTakesLonger) {
  TestStudy test;
  test.add("fast", "none", {phase("all", {.compute_ms = 100})});
  rent(test, 4, 9);
  test.add("cheap", "none", {phase("all", {.compute_ms = 150})});
  rent(test, 1, 12);
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre("`cheap` wins with 0.005 USD in all, 50 % cheaper than `fast` (0.01 USD in all), "
                  "because its machines cost 12 USD/h instead of 36 USD/h, although it takes 1.5 times "
                  "as long per sample."));
}

// 36 USD/h are 0.01 USD/s: 100 ms for 256 samples are 0.003906 USD for 1000 of them.
TEST(Verdict, TimeIsTheReasonWherePricesAreTheSame) {
  TestStudy test;
  test.add("slow", "none", {phase("all", {.compute_ms = 200})});
  rent(test, 1, 36);
  test.add("fast", "none", {phase("all", {.compute_ms = 100}, 20)});
  rent(test, 1, 36);
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre("`fast` wins with 0.003906 USD per 1000 samples, 50 % cheaper than `slow` (0.007812 USD "
                  "per 1000 samples), because its workers compute for 100 ms instead of 200 ms."));
}

// 150 ms at 12 USD/h against 50 ms at 18 USD/h: half of the cost in a third of the time.
TEST(Verdict, TimeIsTheReasonWhereItOutweighsThePrice) {
  TestStudy test;
  test.add("slow", "none", {phase("all", {.compute_ms = 150})});
  rent(test, 1, 12);
  test.add("fast", "none", {phase("all", {.compute_ms = 50})});
  rent(test, 1, 18);
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre(HasSubstr("50 % cheaper than `slow` (0.005 USD in all), because its workers compute "
                            "for 50 ms instead of 150 ms, although its machines cost 18 USD/h instead "
                            "of 12 USD/h.")));
}

TEST(Verdict, ByCostOtherUpdatesAreCheaperOnlyIfTheyLearnAsWell) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.compute_ms = 100, .exchange_ms = 100})});
  rent(test, 1, 36);
  test.add("local", "none", {phase("all", {.compute_ms = 100})});
  test.scenario().exchange.synchronisation =
      policies::synchronisation("periodic", policies::Periodic::Settings{10});
  rent(test, 1, 36);
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre(HasSubstr("`dense` costs 0.02 USD in all. Cheaper, if it learns as well per sample: "
                            "`local` by 50 % (0.01 USD in all)")));
}

// A failure each second, and no checkpoint: 1000 s of training never end.
TEST(Verdict, ByCostARunThatNeverEndsIsNotCompared) {
  TestStudy test;
  test.add("whole", "none", {phase("all", {.compute_ms = 100})});
  rent(test, 1, 36);
  test.add("endless", "none", {phase("all", {.compute_ms = 1e5})});
  rent(test, 1, 36);
  test.scenario().availability = scenario::Availability{.mtbf = netmodels::Seconds{1}};
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre("`endless` is not compared: failures come too often for its 16.7 min of training to "
                  "end, so that it has no cost."));
}

}  // namespace
}  // namespace sim::report
