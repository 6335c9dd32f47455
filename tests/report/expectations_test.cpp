// Published figures: errors, bounds, mean errors, and who is best.
#include "sim/report/expectations.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/metric.hpp"
#include "sim/scenario/study.hpp"
#include "tests/report/simulated.hpp"
#include "tests/source_tree.hpp"

namespace sim::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

scenario::Expectation expect(const std::string& arm, const std::string& metric, double value,
                             std::optional<double> within = {}) {
  scenario::Expectation row;
  row.arm = arm;
  row.metric = metric;
  row.value = value;
  row.within = within;
  row.source = "a paper";
  row.where = "test.yaml:9:5";
  return row;
}

TEST(Expectations, FigureWithinItsBoundIsMet) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 50})});
  test.study().expectations = {expect("dense", "step_time", 0.152, 0.02)};
  const auto report = judge(test.played);
  EXPECT_NEAR(*report.figures[0].relative_error(), -0.01316, 1e-5);
  EXPECT_EQ(report.met(), true);
  EXPECT_THAT(missed(report), IsEmpty());
}

TEST(Expectations, AreCountedByRoleAndEachReasonIsGivenOnce) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 50})});
  auto& rows = test.study().expectations;
  for (int i = 0; i < 5; ++i) rows.push_back(expect("dense", i == 4 ? "exchange_time" : "step_time", 0.1));
  rows[0].role = scenario::FigureRole::input;
  rows[1].role = scenario::FigureRole::fitted;
  for (scenario::Expectation* row : {&rows[2], &rows[3]}) {
    row->judged = false;
    row->reason = "it is a misprint";
  }
  scenario::MeanErrorBound mean;
  mean.arms = "*";
  mean.metric = "exchange_time";
  mean.within = 2;
  test.study().mean_errors = {mean};
  const auto report = judge(test.played);
  const std::string text = expectations_text(report);
  EXPECT_THAT(text, HasSubstr("5 figures: 1 inputs, 1 fitted, 3 predicted, of which 2 not judged\n"));
  EXPECT_THAT(text, HasSubstr("not judged, 2 figures: it is a misprint\n"));
  EXPECT_TRUE(report.figures[4].with_others);
  EXPECT_THAT(text, HasSubstr("with others"));
}

/// Whether a bound judges it, or the file says why none does.
bool accounted_for(const ExpectedFigure& figure) {
  const scenario::Expectation& row = *figure.expected;
  return row.judged ? figure.has_bound() || figure.with_others : row.reason.has_value();
}

/// A wider bound would be drawn round the result.
TEST(Expectations, OfThePapersAreJudgedWithinAFifthOrSayWhyNot) {
  constexpr double widest = 0.2;
  const std::filesystem::path data = tests::source_dir() + "/scenarios";
  for (const auto& file : std::filesystem::directory_iterator(data / "papers")) {
    if (file.path().extension() != ".yaml") continue;
    const auto reading = scenario::read_study(file.path(), {}, data, expectable_metrics());
    if (!reading) continue;  // a question to `sim advise`, whose rows have bounds only
    SimulatedStudy study{};
    study.study = &reading->study;
    const ExpectationReport report = judge(study);
    for (const ExpectedFigure& figure : report.figures) {
      EXPECT_TRUE(accounted_for(figure)) << figure.expected->where;
      if (figure.judged()) {
        EXPECT_LE(figure.expected->within.value_or(0), widest) << figure.expected->where;
      }
    }
    for (const MeanError& mean : report.mean_errors)
      EXPECT_LE(mean.bound->within, widest) << mean.bound->where;
  }
}

TEST(Expectations, FigureBeyondItsBoundIsNamedWithItsPlace) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 50})});
  test.study().expectations = {expect("dense", "step_time", 0.1, 0.02)};
  const auto report = judge(test.played);
  EXPECT_EQ(report.met(), false);
  EXPECT_THAT(missed(report),
              ElementsAre("test.yaml:9:5: step_time of `dense` is +50.00 % off; accepted: 2 %"));
}

/// The mean of 100 and 140 ms is 120 ms; a figure of a phase is known for the first seed alone.
TEST(Expectations, AreJudgedByTheMeanOverSeeds) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  for (const double step : {0.1, 0.14}) {
    SeedResult& seed = test.played.seeds.emplace_back();
    seed.rows.columns = {{"arm", "", {}}, {"step_time_s", "", {}}};
    seed.rows.rows = {{"dense", step}};
  }
  test.study().expectations = {expect("dense", "step_time", 0.12, 0.001)};
  const auto met = judge(test.played);
  EXPECT_EQ(met.met(), true);
  EXPECT_THAT(expectations_text(met), HasSubstr("predictions are means over 2 seeds"));
  test.study().expectations[0].phase = "all";
  const auto of_a_phase = judge(test.played);
  EXPECT_EQ(of_a_phase.met(), false);
  EXPECT_EQ(of_a_phase.figures.at(0).missing,
            "known for each seed alone, not as a mean; run it with one seed");
  test.study().expectations = {expect("dense", "target_time", 5, 0.1)};
  EXPECT_EQ(judge(test.played).figures.at(0).missing, "0 of 2 seeds have it");
}

TEST(Expectations, FigureWithoutBoundIsShownAndNotJudged) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  test.study().expectations = {expect("dense", "step_time", 17)};
  const auto report = judge(test.played);
  EXPECT_EQ(report.met(), std::nullopt);
  EXPECT_THAT(expectations_text(report), HasSubstr("not judged"));
}

TEST(Expectations, BoundsAreKeptOrNamed) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 50})});
  auto row = expect("dense", "step_time", 1);
  row.value.reset();
  row.at_least = 0.1;
  row.at_most = 0.2;
  test.study().expectations = {row};
  EXPECT_EQ(judge(test.played).met(), true);
  EXPECT_THAT(expectations_text(judge(test.played)), HasSubstr("at least 100 ms, at most 200 ms"));
  test.study().expectations[0].at_most = 0.12;
  EXPECT_THAT(missed(judge(test.played)),
              ElementsAre("test.yaml:9:5: step_time of `dense` is 150 ms; accepted: >= 100 ms, <= 120 ms"));
}

TEST(Expectations, WhatIsKnownNotToBeMetIsShownAsSuch) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 50})});
  auto row = expect("dense", "step_time", 0.1, 0.02);
  row.judged = false;
  test.study().expectations = {row};
  EXPECT_EQ(judge(test.played).met(), std::nullopt);
  EXPECT_THAT(expectations_text(judge(test.played)), HasSubstr("out of bound, not judged"));
}

TEST(Expectations, AFigureOverAnotherArmIsTheirQuotient) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 50})});
  test.add("sparse", "topk", {phase("all", {})});
  auto row = expect("sparse", "throughput", 1.4, 0.1);
  row.over = "dense";
  test.study().expectations = {row};
  const auto report = judge(test.played);
  EXPECT_DOUBLE_EQ(*report.figures[0].ours, 1.5);
  EXPECT_THAT(expectations_text(report), HasSubstr("throughput over `dense`"));
}

TEST(Expectations, SharesCountSteps) {
  TestStudy test;
  engine::PhaseResult mixed = phase("all", {});
  mixed.methods = {{"none", 2}, {"topk", 6}};
  mixed.ratios = {{0.01, 4}, {0.1, 2}, {1, 2}};
  mixed.collectives = {{"ring_allgather", 6}, {"ring_allreduce", 4}};
  const SimulatedArm& arm = test.add("mixed", "topk", {mixed});
  EXPECT_DOUBLE_EQ(*figure_of("compressed_step_share", arm, mixed, true), 0.75);
  EXPECT_DOUBLE_EQ(*figure_of("method_share", arm, mixed, true, "topk"), 0.75);
  EXPECT_DOUBLE_EQ(*figure_of("method_share", arm, mixed, true, "ar_topk"), 0);
  EXPECT_DOUBLE_EQ(*figure_of("collective_share", arm, mixed, true, "ring_allgather"), 0.6);
  EXPECT_DOUBLE_EQ(*figure_of("ratio_share", arm, mixed, true, "1 % to 5 %"), 0.5);
  EXPECT_FALSE(figure_of("method_share", arm, phase("all", {}), true, "topk").has_value());
  mixed.ratios = {{0.03 * (1 + 1e-15), 3}, {1, 1}};  // as three digits are rounded
  EXPECT_DOUBLE_EQ(*figure_of("ratio_share", arm, mixed, true, "1 % to 3 %"), 0.75);
}

TEST(Expectations, FigureOfAPhaseIsFoundByItsLabel) {
  TestStudy test;
  test.add("dense", "none", {phase("early", {}), phase("late", {.exchange_ms = 100})});
  auto row = expect("dense", "step_time", 0.2, 0.001);
  row.phase = "late";
  test.study().expectations = {row};
  EXPECT_EQ(judge(test.played).met(), true);
}

TEST(Expectations, UnknownPhaseIsMissedWithTheNamesThereAre) {
  TestStudy test;
  test.add("dense", "none", {phase("early", {}), phase("late", {})});
  auto row = expect("dense", "step_time", 0.1, 0.001);
  row.phase = "noon";
  test.study().expectations = {row};
  EXPECT_THAT(missed(judge(test.played)), ElementsAre(HasSubstr("unknown phase; accepted: `early`, `late`")));
}

TEST(Expectations, MetricsFollowFromParts) {
  TestStudy test;
  const SimulatedArm& arm = test.add(
      "dense", "none", {phase("all", {.exchange_ms = 60, .compress_ms = 30, .wait_ms = 10, .sent_mb = 4})});
  const engine::PhaseResult& whole = arm.result.whole;
  EXPECT_DOUBLE_EQ(*figure_of("step_time", arm, whole, true), 0.2);
  EXPECT_DOUBLE_EQ(*figure_of("exchange_time", arm, whole, true), 0.06);
  EXPECT_DOUBLE_EQ(*figure_of("total_time", arm, whole, true), 2.0);
  EXPECT_DOUBLE_EQ(*figure_of("sent_bytes", arm, whole, true), 4e6);
  EXPECT_DOUBLE_EQ(*figure_of("total_bytes", arm, whole, true), 4e6 * 10 * 8);
  EXPECT_DOUBLE_EQ(*figure_of("throughput", arm, whole, true), 1280);
  EXPECT_DOUBLE_EQ(*figure_of("speedup", arm, whole, true), 4.0);  // 8 workers at half the speed of one
  EXPECT_DOUBLE_EQ(*figure_of("epoch_time", arm, whole, true), 2.0);
  EXPECT_FALSE(figure_of("accuracy", arm, whole, true).has_value());
}

/// The results of learning in a run that reached its target.
engine::LearningResult learned() {
  engine::LearningResult learning;
  learning.target = engine::Evaluated{40, 0.5, {4}, netmodels::Bytes{3e9}, 0.2, 0.91};
  learning.curve = {*learning.target};
  learning.best_accuracy = 0.95;
  learning.best_loss = 0.2;
  learning.last_accuracy = 0.93;
  learning.mean_gain = 0.6;
  learning.noise_scale = 300;
  return learning;
}

TEST(Expectations, EveryMetricThatAScenarioMayNameIsAnswered) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {})});
  arm.result.learning = learned();
  arm.result.buffer.emplace();
  arm.result.streamed.emplace();
  arm.result.merging = engine::MergingResult{10, 3.5, 24.0, 2};
  arm.result.whole.ratios = {{1, 10}};
  arm.result.whole.between_nodes = netmodels::Bytes{};
  scenario::Scenario scenario = *arm.scenario;
  scenario.work.workload.token_work.emplace();
  scenario.work.workload.memory.emplace();
  scenario.rented.emplace();
  scenario.availability.emplace().mtbf = netmodels::Seconds{1e6};
  arm.scenario = &scenario;
  for (const language::ExpectableMetric& metric : expectable_metrics()) {
    const std::string of = metric.name == "ratio_share" ? "0 to 1" : "topk";
    EXPECT_TRUE(figure_of(std::string(metric.name), arm, arm.result.whole, true, of)) << metric.name;
  }
}

TEST(Expectations, SaysWhyBytesBetweenNodesAreNotKnown) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  test.study().expectations = {expect("dense", "between_nodes_bytes", 4e6, 0.1)};
  EXPECT_THAT(missed(judge(test.played)),
              ElementsAre("test.yaml:9:5: between_nodes_bytes of `dense`: each node has one worker: see "
                          "`sent_bytes`; accepted: 10 %"));
}

TEST(Expectations, MergesAreFiguresOfTheWholeRun) {
  TestStudy test;
  SimulatedArm& arm = test.add("decoupled", "none", {phase("all", {})});
  const engine::PhaseResult& whole = arm.result.whole;
  EXPECT_EQ(figure_of("merge_steps", arm, whole, true), std::nullopt);
  arm.result.merging = engine::MergingResult{10, 3.5, 24.0, 2};
  EXPECT_EQ(figure_of("merge_steps", arm, whole, true), 24);
  EXPECT_EQ(figure_of("merge_workers", arm, whole, true), 3.5);
  EXPECT_EQ(figure_of("merge_steps", arm, arm.result.phases[0], false), std::nullopt);
}

TEST(Expectations, WhatStreamsLeftIsAFigureOfTheWholeRun) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {})});
  const engine::PhaseResult& whole = arm.result.whole;
  EXPECT_EQ(figure_of("buffer_bytes", arm, whole, true), std::nullopt);
  arm.result.buffer = engine::BufferState{70, 40, {7000}, 900};
  arm.result.streamed = netmodels::Bytes{90000};
  arm.result.batches = {20, 54, 118};
  arm.result.batch_changes = 2;
  EXPECT_EQ(figure_of("buffer_samples", arm, whole, true), 70);
  EXPECT_EQ(figure_of("fullest_buffer_samples", arm, whole, true), 40);
  EXPECT_EQ(figure_of("buffer_bytes", arm, whole, true), 7000);
  EXPECT_EQ(figure_of("streamed_bytes", arm, whole, true), 90000);
  EXPECT_EQ(figure_of("global_batch", arm, whole, true), 192);
  EXPECT_EQ(figure_of("batch_changes", arm, whole, true), 2);
  EXPECT_EQ(figure_of("buffer_bytes", arm, whole, false), std::nullopt);
  EXPECT_EQ(figure_of("batch_changes", arm, whole, false), std::nullopt);
}

TEST(Expectations, WhatWasLearnedIsAFigureOfTheWholeRun) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {})});
  arm.result.learning = learned();
  arm.result.local_steps = 4;
  const engine::PhaseResult& whole = arm.result.whole;
  EXPECT_DOUBLE_EQ(*figure_of("accuracy", arm, whole, true), 0.93);
  EXPECT_DOUBLE_EQ(*figure_of("best_accuracy", arm, whole, true), 0.95);
  EXPECT_DOUBLE_EQ(*figure_of("target_time", arm, whole, true), 4);
  EXPECT_DOUBLE_EQ(*figure_of("target_steps", arm, whole, true), 40);
  EXPECT_DOUBLE_EQ(*figure_of("target_bytes", arm, whole, true), 3e9);
  EXPECT_DOUBLE_EQ(*figure_of("gain", arm, whole, true), 0.6);
  EXPECT_DOUBLE_EQ(*figure_of("noise_scale", arm, whole, true), 300);
  EXPECT_DOUBLE_EQ(*figure_of("local_step_share", arm, whole, true), 0.4);
  EXPECT_FALSE(figure_of("accuracy", arm, arm.result.phases[0], false).has_value());
  EXPECT_FALSE(figure_of("local_step_share", arm, arm.result.phases[0], false).has_value());
}

TEST(Expectations, ARunWithoutStepsHasNoShareOfLocalOnes) {
  TestStudy test;
  const SimulatedArm& arm = test.add("dense", "none", {phase("all", {}, 0)});
  EXPECT_FALSE(figure_of("local_step_share", arm, arm.result.whole, true).has_value());
}

TEST(Expectations, AMissingFigureOfLearningSaysWhy) {
  TestStudy test;
  test.add("timed", "none", {phase("all", {})});
  SimulatedArm& arm = test.add("learned", "none", {phase("all", {})});
  arm.result.learning = learned();
  arm.result.learning->mean_gain.reset();
  arm.result.learning->target->sent_by_all.reset();
  SimulatedArm& slow = test.add("slow", "none", {phase("all", {})});
  slow.result.learning = engine::LearningResult{};
  auto of_phase = expect("learned", "accuracy", 0.9, 0.1);
  of_phase.phase = "all";
  test.study().expectations = {
      expect("timed", "accuracy", 0.9, 0.1), of_phase, expect("learned", "gain", 0.9, 0.1),
      expect("learned", "target_bytes", 1e9, 0.1), expect("slow", "target_time", 9, 0.1)};
  const std::string end = "; accepted: 10 %";
  EXPECT_THAT(missed(judge(test.played)),
              ElementsAre("test.yaml:9:5: accuracy of `timed`: the arm has no learner" + end,
                          "test.yaml:9:5: accuracy of `learned`: known for the whole run only" + end,
                          "test.yaml:9:5: gain of `learned`: the learner does not predict it" + end,
                          "test.yaml:9:5: target_bytes of `learned`: a published closed form sends no "
                          "messages that could be counted" +
                              end,
                          "test.yaml:9:5: target_time of `slow`: the target was not reached" + end));
}

TEST(Expectations, TimesOfTheWholeRunHoldWhatLiesOutsideTheSteps) {
  TestStudy test;
  SimulatedArm& arm =
      test.add("dense", "none", {phase("all", {})});  // 10 steps of 256 samples: one epoch in 1 s
  arm.result.outside_steps = {3};
  arm.result.time += arm.result.outside_steps;
  const engine::PhaseResult& whole = arm.result.whole;
  EXPECT_DOUBLE_EQ(*figure_of("epoch_time", arm, whole, true), 4.0);
  EXPECT_DOUBLE_EQ(*figure_of("total_time", arm, whole, true), 4.0);
  EXPECT_DOUBLE_EQ(*figure_of("epoch_time", arm, arm.result.phases[0], false), 1.0);
}

TEST(Expectations, TotalBytesAreWhatWasSentAlsoWhereWorkersWereLost) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {.sent_mb = 4})});
  arm.result.whole.sent_by_all = netmodels::Bytes{300e6};  // 8 workers to begin with, fewer later
  EXPECT_DOUBLE_EQ(*figure_of("total_bytes", arm, arm.result.whole, true), 300e6);
}

TEST(Expectations, PrintedFormsHaveNoBytes) {
  TestStudy test;
  SimulatedArm& arm = test.add("printed", "none", {phase("all", {})});
  arm.result.whole.sent.reset();
  arm.result.whole.sent_by_all.reset();
  test.study().expectations = {expect("printed", "sent_bytes", 4e6, 0.1),
                               expect("printed", "total_bytes", 4e6)};
  EXPECT_THAT(
      missed(judge(test.played)),
      ElementsAre("test.yaml:9:5: sent_bytes of `printed`: a published closed form sends no messages that "
                  "could be counted; accepted: 10 %"));
}

TEST(Expectations, MeanErrorIsOverAllThatThePatternFits) {
  TestStudy test;
  test.add("a/ring", "none", {phase("all", {})});
  test.add("b/ring", "none", {phase("all", {})});
  test.add("b/tree", "none", {phase("all", {})});
  test.study().expectations = {expect("a/ring", "step_time", 0.1), expect("b/ring", "step_time", 0.08),
                               expect("b/tree", "step_time", 9)};
  test.study().mean_errors = {{"*/ring", "step_time", 0.1, "test.yaml:3:1"}};
  const auto report = judge(test.played);
  EXPECT_EQ(report.mean_errors[0].figures, 2);
  EXPECT_NEAR(report.mean_errors[0].mean, 0.125, 1e-12);
  EXPECT_THAT(
      missed(report),
      ElementsAre(HasSubstr("mean error of step_time over 2 figures of `*/ring`: 12.50 % (bound 10 %)")));
}

TEST(Expectations, BestArmMustBeThePublishedOne) {
  TestStudy test;
  test.study().axes = {"model", "exchange"};
  test.add("a/ring", "none", {phase("all", {.exchange_ms = 1})});
  test.add("a/tree", "none", {phase("all", {.exchange_ms = 2})});
  test.add("b/ring", "none", {phase("all", {.exchange_ms = 1})});
  test.add("b/tree", "none", {phase("all", {.exchange_ms = 2})});
  test.study().expectations = {expect("a/ring", "step_time", 1), expect("a/tree", "step_time", 2),
                               expect("b/ring", "step_time", 2), expect("b/tree", "step_time", 1)};
  test.study().best_along = {{"exchange", "step_time", 2, "test.yaml:4:1"}};
  const auto report = judge(test.played);
  EXPECT_EQ(report.best[0].right, 1);
  EXPECT_EQ(report.best[0].combinations, 2);
  EXPECT_THAT(report.best[0].wrong, ElementsAre("b: predicted `b/ring`, published `b/tree`"));
  EXPECT_EQ(report.met(), false);
}

}  // namespace
}  // namespace sim::report
