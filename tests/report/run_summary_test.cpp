// summary.json read back: the same tables as were printed, and what is refused.
#include "sim/report/run_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command_line/text_table.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/study_document.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::Table;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RunSummary read_back(const SimulatedStudy& study) {
  const ExpectationReport report = judge(study);
  auto summary = read_run_summary(study_json({&study, &report}), "summary.json");
  EXPECT_TRUE(summary.has_value()) << summary.error().text();
  return std::move(*summary);
}

std::string run_summary_error(const std::string& text) {
  const auto summary = read_run_summary(text, "run/summary.json");
  return summary ? "accepted" : summary.error().text();
}

TEST(RunSummary, ArmsAreTheComparisonOfTheWholeRuns) {
  TestStudy test("Which one?");
  test.add("dense", "none", {phase("all", {.exchange_ms = 100, .sent_mb = 3})});
  test.add("topk", "topk", {phase("all", {.compress_ms = 1})});
  const RunSummary summary = read_back(test.played);
  const Table whole = comparison_table(test.played);
  EXPECT_EQ(text_table(without(summary.arms, hidden_columns(summary.arms))),
            text_table(without(whole, hidden_columns(whole))));
  EXPECT_EQ(summary.question, "Which one?");
  EXPECT_EQ(summary.answer, summary.verdicts.front());
  EXPECT_TRUE(summary.phases.rows.empty());
}

TEST(RunSummary, PhasesStandByThemselves) {
  TestStudy test;
  test.add("dense", "none", {phase("early", {}), phase("late", {.exchange_ms = 100})});
  const RunSummary summary = read_back(test.played);
  EXPECT_EQ(summary.arms.rows.size(), 1U);
  EXPECT_EQ(summary.phases.rows.size(), 2U);
}

TEST(RunSummary, ExpectationsPrintAsTheyDidWhenTheyWereJudged) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  scenario::Expectation figure;
  figure.arm = "dense";
  figure.metric = "step_time";
  figure.value = 0.2;
  figure.within = 0.1;
  figure.source = "a paper";
  scenario::Expectation unknown = figure;
  unknown.metric = "accuracy";
  unknown.judged = false;
  test.study().expectations = {figure, unknown};
  test.study().mean_errors = {{"*", "step_time", 0.05, "here"}};
  EXPECT_EQ(expectations_text(read_back(test.played).expected.report), expectations_text(judge(test.played)));
}

TEST(RunSummary, UsesTestsAndEventsAreThere) {
  TestStudy test;
  SimulatedArm& arm = test.add("a", "none", {phase("all", {})});
  arm.result.whole.collectives = {{"ring", 7}, {"tree", 3}};
  arm.result.whole.ratios = {{0.01, 10}};
  arm.result.events = {{{1.5}, {engine::ReasonKind::none_left}}};
  arm.result.learning = engine::LearningResult{};
  arm.result.learning->curve = {engine::Evaluated{5, 0.5, {2}, {}, {}, 0.75}};
  const RunSummary summary = read_back(test.played);
  EXPECT_THAT(summary.collectives[0].steps, ElementsAre(std::pair("ring", 7), std::pair("tree", 3)));
  EXPECT_THAT(summary.ratios[0].steps, ElementsAre(std::pair(0.01, 10)));
  EXPECT_THAT(summary.events.rows[0],
              ElementsAre(Cell(1.5), Cell("a"), Cell("no workers left: training stops")));
  EXPECT_THAT(summary.tests.rows[0], ElementsAre(Cell("a"), Cell(2.0), Cell(0.5), Cell(std::int64_t{5}),
                                                 Cell(), Cell(0.75), Cell()));
  EXPECT_THAT(
      summary.origins,
      ElementsAre("Compute time: roofline on , batch 1: made up for a test.", "Compression time: none.",
                  "Execution: ddp_overlap (buckets of 1 MiB, then 25 MiB, overlapping the "
                  "backward pass), the default without compression.",
                  "Learner: none: times only."));
}

TEST(RunSummary, TheGoodputOfALinkIsASourceToo) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  test.scenario().cluster.link = {{1e-3}, {10e9 / 8}};
  test.scenario().cluster.tcp_at_line_rate = scenario::FabricRange{.name = "nccl_tcp over 10 Gbit/s Ethernet",
                                                                   .low = {{60e-6}, {5e9 / 8}},
                                                                   .mid = {{45e-6}, {9e9 / 8}},
                                                                   .high = {{25e-6}, {9.5e9 / 8}},
                                                                   .source = "by hand"};
  EXPECT_EQ(
      read_back(test.played).origins.back(),
      "Network: the link's 10 Gbit/s are taken as goodput; TCP by NCCL usually reaches 9 Gbit/s on 10 Gbit/s "
      "Ethernet (5 Gbit/s to 9.5 Gbit/s).");
}

TEST(RunSummary, ArmsOfDifferentOriginAreNamed) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  test.add("b", "topk", {phase("all", {})});
  EXPECT_THAT(read_back(test.played).origins,
              ElementsAre("Compute time: roofline on , batch 1: made up for a test.",
                          "Compression time of `a`: none.", "Compression time of `b`: as stated.",
                          HasSubstr("Execution of `a`: ddp_overlap"),
                          HasSubstr("Execution of `b`: after_backward"), "Learner: none: times only."));
}

TEST(RunSummary, WhatIsNoSummaryIsRefused) {
  const std::string hint = "write it again: sim run FILE --out DIR";
  EXPECT_EQ(run_summary_error("{\"schema_version\": 1,"),
            "run/summary.json:1:22: the JSON is invalid; " + hint);
  EXPECT_EQ(run_summary_error("{}"), "run/summary.json: has no schema_version; " + hint);
  EXPECT_EQ(run_summary_error("[1]"), "run/summary.json: has no schema_version; " + hint);
  EXPECT_EQ(run_summary_error("{\"schema_version\": 99}"),
            "run/summary.json: has schema version 99; this program reads version 1; " + hint);
  EXPECT_EQ(run_summary_error("{\"schema_version\": 1, \"studies\": []}"),
            "run/summary.json: was not written by `sim run --out`; " + hint);
}

/// Of two arms with two states of the network each, and the summary's JSON changed.
template <class Change>
std::string refused_when(Change change) {
  TestStudy test;
  for (const char* name : {"a", "b"}) test.add(name, "none", {phase("early", {}), phase("late", {})});
  const ExpectationReport report = judge(test.played);
  auto json = nlohmann::ordered_json::parse(study_json({&test.played, &report}));
  change(json["arms"]);
  return run_summary_error(json.dump());
}

TEST(RunSummary, AColumnThatOneArmLacksIsRefused) {
  const std::string hint = "; write it again: sim run FILE --out DIR";
  EXPECT_EQ(refused_when([](auto&) {}), "accepted");
  EXPECT_EQ(refused_when([](auto& arms) { arms[1].erase("sent_bytes"); }),
            "run/summary.json: lacks `sent_bytes` in the arm `b`" + hint);
  EXPECT_EQ(refused_when([](auto& arms) { arms[0].erase("sent_bytes"); }),
            "run/summary.json: lacks `sent_bytes` in the arm `a`" + hint);
  EXPECT_EQ(refused_when([](auto& arms) { arms[1]["phases"][0].erase("sent_bytes"); }),
            "run/summary.json: lacks `sent_bytes` in a phase of the arm `b`" + hint);
}

TEST(RunSummary, APartOfAStepThatAllArmsLackIsRefused) {
  const std::string hint = "; write it again: sim run FILE --out DIR";
  const auto erase = [](const std::string& key) {
    return [key](auto& arms) {
      for (auto& arm : arms) arm.erase(key);
    };
  };
  for (const std::string_view part : keys_at(in_step_parts))
    EXPECT_EQ(refused_when(erase(std::string(part))),
              "run/summary.json: lacks `" + std::string(part) + "` in the arm `a`" + hint);
  EXPECT_EQ(refused_when([](auto& arms) {
              for (auto& arm : arms)
                for (auto& phase : arm["phases"]) phase.erase("phase");
            }),
            "run/summary.json: lacks `phase` in a phase of the arm `a`" + hint);
  EXPECT_EQ(refused_when(erase("throughput_samples_per_s")), "accepted");  // not drawn by any chart
}

TEST(RunSummary, APhaseWithoutANameIsRefused) {
  EXPECT_EQ(refused_when([](auto& arms) { arms[0]["phases"][0]["phase"] = 1; }),
            "run/summary.json: was not written by `sim run --out`; write it again: sim run FILE --out DIR");
}

}  // namespace
}  // namespace sim::report
