// The document of a study, and the answer that it begins with.
#include "sim/report/study_document.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/simulated.hpp"

namespace sim::report {

// The one sentence that answers.

namespace {

using testing::StartsWith;

TEST(Answer, IsTheVerdictOverTheWholeRun) {
  TestStudy test;
  test.add("dense", "none", {phase("early", {.exchange_ms = 10}), phase("late", {.exchange_ms = 200})});
  test.add("topk", "topk", {phase("early", {.exchange_ms = 50}), phase("late", {.exchange_ms = 50})});
  EXPECT_THAT(answer(test.played), StartsWith("whole run: "));
}

TEST(Answer, IsWhoReachesTheTargetWhereThereIsOne) {
  TestStudy test;
  for (const char* name : {"slow", "fast"}) {
    SimulatedArm& arm = test.add(name, "none", {phase("all", {})});
    test.scenario().learner.target = 0.9;
    engine::Evaluated reached;
    reached.steps = 10;
    reached.at = {name == std::string("fast") ? 1.0 : 2.0};
    reached.accuracy = 0.95;
    arm.result.learning = engine::LearningResult{};
    arm.result.learning->curve = {reached};
    arm.result.learning->target = reached;
  }
  EXPECT_THAT(answer(test.played), StartsWith("90.00 % accuracy is reached by `fast` after 1 s"));
}

TEST(Answer, OfOneArmIsWhatItTakes) {
  TestStudy test;
  test.add("alone", "none", {phase("all", {.compute_ms = 100, .exchange_ms = 300})});
  EXPECT_EQ(answer(test.played),
            "`alone` takes 400 ms per step and 4 s in all; most of it goes to exchange, 75 % of the step.");
}

TEST(Answer, OfNothingSaysSo) {
  const TestStudy test;
  EXPECT_EQ(answer(test.played), "No arm was simulated to its end.");
}

}  // namespace

// JSON: the keys that programs rely on.

namespace {

nlohmann::json parsed_study(const SimulatedStudy& study) {
  const ExpectationReport report = judge(study);
  return nlohmann::json::parse(study_json({&study, &report}));
}

TEST(Json, StudyHoldsArmsPhasesVerdictsAndOrigins) {
  TestStudy test("What now?");
  test.add("dense", "none", {phase("early", {.sent_mb = 3}), phase("late", {.exchange_ms = 100})});
  test.add("topk", "topk", {phase("early", {.compress_ms = 1}), phase("late", {.compress_ms = 1})});
  const auto json = parsed_study(test.played);
  EXPECT_EQ(json["schema_version"], command_line::json_schema_version);
  EXPECT_EQ(json["question"], "What now?");
  ASSERT_EQ(json["arms"].size(), 2U);
  const auto& arm = json["arms"][0];
  EXPECT_EQ(arm["arm"], "dense");
  EXPECT_EQ(arm["phases"].size(), 2U);
  EXPECT_DOUBLE_EQ(arm["phases"][1]["step_time_s"], 0.2);
  EXPECT_DOUBLE_EQ(arm["phases"][0]["sent_bytes"], 3e6);
  EXPECT_EQ(arm["learner"], "none: times only");
  EXPECT_EQ(arm["compression_time_origin"], "none");
  EXPECT_EQ(arm["ending"], "finished");
  EXPECT_EQ(arm["steps_by_collective"]["ring_allreduce"], 10);
  EXPECT_EQ(json["verdicts"].size(), 3U);
  EXPECT_FALSE(json["left_out"].empty());
}

TEST(Json, WhatThereIsNotIsNull) {
  TestStudy test;
  SimulatedArm& arm = test.add("alone", "none", {phase("all", {})});
  arm.result.whole.sent.reset();
  arm.result.whole.collectives = {{"", 10}};
  const auto json = parsed_study(test.played)["arms"][0];
  EXPECT_EQ(json["sent_bytes"], nullptr);
  EXPECT_TRUE(json["steps_by_collective"].empty());
}

TEST(Json, ExpectationsStandBesideTheirErrors) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  scenario::Expectation row;
  row.arm = "dense";
  row.metric = "step_time";
  row.value = 0.2;
  row.within = 0.1;
  test.study().expectations = {row};
  const auto expectations = parsed_study(test.played)["expectations"];
  EXPECT_EQ(expectations["met"], false);
  EXPECT_DOUBLE_EQ(expectations["figures"][0]["ours"], 0.1);
  EXPECT_DOUBLE_EQ(expectations["figures"][0]["relative_error"], -0.5);
  EXPECT_EQ(expectations["figures"][0]["phase"], nullptr);
}

/// 98 % off, and not judged: neither met nor missed.
TEST(Json, WhatIsNotJudgedIsNeitherMetNorMissed) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  scenario::Expectation row;
  row.arm = "dense";
  row.metric = "step_time";
  row.value = 5;
  row.within = 0.1;
  row.judged = false;
  test.study().expectations = {row};
  const auto expectations = parsed_study(test.played)["expectations"];
  EXPECT_EQ(expectations["met"], nullptr);
  EXPECT_EQ(expectations["figures"][0]["met"], nullptr);
  EXPECT_EQ(expectations["figures"][0]["judged"], false);
}

TEST(Json, SeveralStudiesAreOneObject) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  const ExpectationReport report = judge(test.played);
  std::ostringstream out;
  command_line::Printer printer(command_line::output_format("json"), out);
  for (int i = 0; i < 2; ++i) printer.add(study_document({&test.played, &report}));
  EXPECT_EQ(out.str(), "");
  printer.finish();
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["schema_version"], command_line::json_schema_version);
  EXPECT_EQ(json["studies"].size(), 2U);
}

}  // namespace
}  // namespace sim::report
