// The comparison: which rows there are, and which columns a reader is spared.
#include "sim/output/comparison.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/output/played.hpp"

namespace sim::output {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Comparison, OnePhaseGivesOneRowForTheWholeRun) {
  TestStudy test;
  test.add("dense", "none", {phase("from the start", {})});
  EXPECT_EQ(comparison(test.played).rows.size(), 1U);
}

TEST(Comparison, TwoPhasesGiveThreeRowsForEachArm) {
  TestStudy test;
  test.add("dense", "none", {phase("from the start", {}), phase("from epoch 2", {})});
  test.add("topk", "topk", {phase("from the start", {}), phase("from epoch 2", {})});
  EXPECT_EQ(comparison(test.played).rows.size(), 6U);
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
  PlayedArm& arm = test.add("dense", "none", {phase("all", {})});
  arm.result.outside_steps = {30};
  arm.result.time += arm.result.outside_steps;
  const Sheet sheet = comparison(test.played);
  const auto column =
      std::ranges::find(sheet.headings, "total_time_s", &Heading::key) - sheet.headings.begin();
  EXPECT_DOUBLE_EQ(std::get<double>(sheet.rows[0][static_cast<std::size_t>(column)]), 31.0);
}

Cell cell(const Sheet& sheet, std::string_view key) {
  const auto column = std::ranges::find(sheet.headings, key, &Heading::key) - sheet.headings.begin();
  return sheet.rows[0][static_cast<std::size_t>(column)];
}

TEST(Comparison, PrintedFormsSendNoBytesThatCouldBeCounted) {
  TestStudy test;
  test.add("printed", "none", {phase("all", {})}).result.whole.sent.reset();
  EXPECT_EQ(cell(comparison(test.played), "sent_bytes"), Cell());
}

TEST(Comparison, AWorkerAloneUsesNoCollective) {
  TestStudy test;
  test.add("alone", "none", {phase("all", {})}).result.whole.collectives = {{"", 10}};
  EXPECT_EQ(cell(comparison(test.played), "collectives"), Cell(""));
}

TEST(Comparison, KeysOfPhysicalValuesEndInTheirUnit) {
  for (const auto& column : comparison_columns()) {
    EXPECT_TRUE(column.measure != Measure::time || column.key.ends_with("_s")) << column.key;
    EXPECT_TRUE(column.measure != Measure::size || column.key.ends_with("_bytes")) << column.key;
  }
}

}  // namespace
}  // namespace sim::output
