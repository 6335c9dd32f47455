// The comparison: which rows there are, and which columns a reader is spared.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/comparison.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::Column;
using command_line::Measure;
using command_line::Table;

namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Comparison, OnePhaseGivesOneRowForTheWholeRun) {
  TestStudy test;
  test.add("dense", "none", {phase("from the start", {})});
  EXPECT_EQ(comparison_table(test.played).rows.size(), 1U);
}

TEST(Comparison, TwoPhasesGiveThreeRowsForEachArm) {
  TestStudy test;
  test.add("dense", "none", {phase("from the start", {}), phase("from epoch 2", {})});
  test.add("topk", "topk", {phase("from the start", {}), phase("from epoch 2", {})});
  EXPECT_EQ(comparison_table(test.played).rows.size(), 6U);
}

TEST(Comparison, TextHasATableForEachPhaseAndOneForTheWholeRun) {
  TestStudy test;
  test.add("dense", "none", {phase("from the start", {}), phase("from epoch 2", {})});
  const std::string text = comparison_text(test.played);
  EXPECT_THAT(text, HasSubstr("from the start\narm "));
  EXPECT_THAT(text, HasSubstr("from epoch 2\narm "));
  EXPECT_THAT(text, HasSubstr("whole run\narm "));
}

TEST(Comparison, ColumnsThatAreZeroEverywhereAreLeftOutOfTheText) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  EXPECT_THAT(comparison_text(test.played), Not(HasSubstr("wait")));
  test.add("late", "none", {phase("all", {.wait_ms = 5})});
  EXPECT_THAT(comparison_text(test.played), HasSubstr("wait (ms)"));
}

TEST(Comparison, TotalOfTheWholeRunHoldsTheTimeOutsideTheSteps) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {})});
  arm.result.outside_steps = {30};
  arm.result.time += arm.result.outside_steps;
  const Table table = comparison_table(test.played);
  const auto column = std::ranges::find(table.columns, "total_time_s", &Column::key) - table.columns.begin();
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[0][static_cast<std::size_t>(column)]), 31.0);
}

Cell cell(const Table& table, std::string_view key) {
  const auto column = std::ranges::find(table.columns, key, &Column::key) - table.columns.begin();
  return table.rows[0][static_cast<std::size_t>(column)];
}

TEST(Comparison, PrintedFormsSendNoBytesThatCouldBeCounted) {
  TestStudy test;
  test.add("printed", "none", {phase("all", {})}).result.whole.sent.reset();
  EXPECT_EQ(cell(comparison_table(test.played), "sent_bytes"), Cell());
}

TEST(Comparison, AWorkerAloneUsesNoCollective) {
  TestStudy test;
  test.add("alone", "none", {phase("all", {})}).result.whole.collectives = {{"", 10}};
  EXPECT_EQ(cell(comparison_table(test.played), "collectives"), Cell(""));
}

/// An arm of ten steps, four of them local, that reached its target after 4 s.
void add_learned(TestStudy& test) {
  engine::ArmResult& result = test.add("learned", "none", {phase("all", {})}).result;
  result.local_steps = 4;
  result.learning = engine::LearningResult{};
  result.learning->target = engine::Evaluated{40, 0.5, {4}, netmodels::Bytes{3e9}, 0.2, 0.91};
  result.learning->best_accuracy = 0.95;
  result.learning->last_accuracy = 0.93;
  result.learning->mean_gain = 0.6;
  result.learning->noise_scale = 300;
}

TEST(Comparison, WhatWasLearnedIsInColumnsOfItsOwn) {
  TestStudy test;
  add_learned(test);
  const Table table = comparison_table(test.played);
  EXPECT_EQ(cell(table, "local_step_share"), Cell(0.4));
  EXPECT_EQ(cell(table, "accuracy"), Cell(0.93));
  EXPECT_EQ(cell(table, "best_accuracy"), Cell(0.95));
  EXPECT_EQ(cell(table, "target_time_s"), Cell(4.0));
  EXPECT_EQ(cell(table, "target_steps"), Cell(40.0));
  EXPECT_EQ(cell(table, "target_bytes"), Cell(3e9));
  EXPECT_EQ(cell(table, "gain"), Cell(0.6));
  EXPECT_EQ(cell(table, "noise_scale_samples"), Cell(300.0));
  EXPECT_THAT(comparison_text(test.played), HasSubstr("last 5 tests (%)"));
  EXPECT_THAT(comparison_text(test.played), HasSubstr("to target (s)"));
}

TEST(Comparison, WhatNobodyLearnedIsEmptyAndLeftOutOfTheText) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  const Table table = comparison_table(test.played);
  for (const std::string_view key : {"accuracy", "best_accuracy", "target_time_s", "target_steps",
                                     "target_bytes", "gain", "noise_scale_samples"})
    EXPECT_EQ(cell(table, key), Cell()) << key;
  EXPECT_EQ(cell(table, "local_step_share"), Cell(0.0));
  for (const char* title : {"accuracy", "target", "local steps", "gain", "noise"})
    EXPECT_THAT(comparison_text(test.played), Not(HasSubstr(title)));
}

TEST(Comparison, WhatWasLearnedBelongsToTheWholeRunOnly) {
  TestStudy test;
  engine::ArmResult& result = test.add("learned", "none", {phase("early", {}), phase("late", {})}).result;
  result.learning = engine::LearningResult{};
  result.learning->last_accuracy = 0.93;
  const Table table = comparison_table(test.played);
  const auto column = std::ranges::find(table.columns, "accuracy", &Column::key) - table.columns.begin();
  const auto at = static_cast<std::size_t>(column);
  EXPECT_EQ(table.rows[0][at], Cell());
  EXPECT_EQ(table.rows[1][at], Cell());
  EXPECT_EQ(table.rows[2][at], Cell(0.93));
}

TEST(Comparison, KeysOfPhysicalValuesEndInTheirUnit) {
  for (const Column& column : comparison_table({}).columns) {
    EXPECT_TRUE(column.measure != Measure::time || column.key.ends_with("_s")) << column.key;
    EXPECT_TRUE(column.measure != Measure::size || column.key.ends_with("_bytes")) << column.key;
  }
}

}  // namespace
}  // namespace sim::report
