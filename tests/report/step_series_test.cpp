// Steps as series: short runs whole, long ones thinned without losing a peak, and what is refused.
#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/run_page.hpp"
#include "sim/report/steps_csv.hpp"
#include "tests/scratch_folder.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::Column;

namespace {

using testing::ElementsAre;

/// As `sim run --out` writes it.
std::string steps_csv(const std::vector<std::string>& arms, std::int64_t steps,
                      const std::function<void(engine::StepRecord&)>& change = {}) {
  const tests::ScratchFolder scratch;
  StepsCsv csv(scratch / "steps.csv");
  for (const std::string& arm : arms) {
    csv.begin_arm(arm);
    for (std::int64_t i = 0; i < steps; ++i) {
      engine::StepRecord step;
      step.step = i;
      step.epoch = static_cast<double>(i) / 100;
      step.start = {0.5 * static_cast<double>(i)};
      step.duration = {0.5};
      step.collective = "ring_allreduce";
      step.method = "none";
      if (change) change(step);
      csv.add(step);
    }
  }
  csv.finish();
  return tests::text_of(scratch / "steps.csv");
}

StepSeries series_of(const std::string& text, std::size_t rows) {
  std::istringstream csv(text);
  auto series = read_step_series(csv, "steps.csv", rows);
  return series ? std::move(*series) : StepSeries{};
}

std::vector<Cell> column(const StepSeries& series, std::string_view key) {
  const auto found = std::ranges::find(series.table.columns, key, &Column::key);
  std::vector<Cell> cells;
  if (found == series.table.columns.end()) return cells;
  for (const auto& row : series.table.rows)
    cells.push_back(row[static_cast<std::size_t>(found - series.table.columns.begin())]);
  return cells;
}

std::string step_series_error(const std::string& text) {
  std::istringstream csv(text);
  const auto series = read_step_series(csv, "run/steps.csv", 10);
  return series ? "accepted" : series.error().text();
}

TEST(StepSeries, AShortRunKeepsEveryStep) {
  const StepSeries series = series_of(steps_csv({"a", "b"}, 20), 10);
  EXPECT_EQ(series.steps, 40);
  EXPECT_EQ(series.most_in_a_row, 1);
  EXPECT_EQ(series.table.rows.size(), 40U);
  EXPECT_EQ(column(series, "start_s")[21], Cell(0.5));
  EXPECT_FALSE(series.has("step_time_s_least"));
}

TEST(StepSeries, ALongRunIsThinnedAndNoPeakIsLost) {
  const StepSeries series = series_of(steps_csv({"a"}, 1000,
                                                [](engine::StepRecord& step) {
                                                  if (step.step == 777) step.duration = {9};
                                                  if (step.step == 333) step.duration = {0.125};
                                                }),
                                      10);
  EXPECT_EQ(series.steps, 1000);
  EXPECT_EQ(series.most_in_a_row, 64);  // 16 rows: more than 10, and at most 20
  EXPECT_EQ(series.table.rows.size(), 16U);
  const auto most = column(series, "step_time_s_most");
  const auto least = column(series, "step_time_s_least");
  EXPECT_EQ(std::ranges::count(most, Cell(9.0)), 1);
  EXPECT_EQ(most[777 / 64], Cell(9.0));
  EXPECT_EQ(least[333 / 64], Cell(0.125));
  EXPECT_EQ(column(series, "step_time_s")[777 / 64], Cell((63 * 0.5 + 9) / 64));
  EXPECT_EQ(column(series, "step")[1], Cell(64.0));
}

TEST(StepSeries, OfNamesTheMostFrequentOneStands) {
  const StepSeries series = series_of(steps_csv({"a"}, 40,
                                                [](engine::StepRecord& step) {
                                                  if (step.step % 4 == 0) step.collective = "tree_allreduce";
                                                  if (step.step >= 36) step.collective = "ar_topk_ring";
                                                }),
                                      5);
  ASSERT_EQ(series.most_in_a_row, 4);
  const auto names = column(series, "collective");
  EXPECT_EQ(names.front(), Cell("ring_allreduce"));
  EXPECT_EQ(names.back(), Cell("ar_topk_ring"));
}

TEST(StepSeries, WhatIsTheSameIdleValueThroughoutIsLeftOut) {
  const StepSeries series = series_of(steps_csv({"a"}, 3), 10);
  for (const char* key :
       {"ratio", "wait_time_s", "staleness", "loss", "buffer_samples", "bandwidth_bytes_per_s"})
    EXPECT_FALSE(series.has(key)) << key;
  EXPECT_TRUE(series.has("step_time_s"));
}

TEST(StepSeries, TheNetworkIsThereWhereTheRunSaysIt) {
  const StepSeries series = series_of(steps_csv({"a"}, 3,
                                                [](engine::StepRecord& step) {
                                                  step.network = netmodels::LinkState{{0.001}, {1.25e9}};
                                                }),
                                      10);
  EXPECT_THAT(column(series, "bandwidth_bytes_per_s"), ElementsAre(Cell(1.25e9), Cell(1.25e9), Cell(1.25e9)));
  EXPECT_TRUE(series.has("latency_s"));
}

TEST(StepSeries, NamesOfArmsAreReadBack) {
  const StepSeries series = series_of(steps_csv({"a, \"b\"", "two\nlines"}, 1), 10);
  EXPECT_THAT(column(series, "arm"), ElementsAre(Cell("a, \"b\""), Cell("two\nlines")));
}

TEST(StepSeries, WhatIsNoStepsCsvIsRefusedWithItsPlace) {
  const std::string hint = "; write it again: sim run FILE --out DIR";
  EXPECT_EQ(step_series_error(""), "run/steps.csv: is empty" + hint);
  EXPECT_EQ(step_series_error("arm,step\n"), "run/steps.csv:1: has no column `start_s`" + hint);
  EXPECT_EQ(step_series_error("arm,step,epoch,start_s\na,0,0,0\na,1\n"),
            "run/steps.csv:3: 2 cells under 4 columns" + hint);
  EXPECT_EQ(step_series_error("arm,step,epoch,start_s\na,0,0,soon\n"),
            "run/steps.csv:2: `soon` in column `start_s` is not a number" + hint);
  EXPECT_EQ(step_series_error("arm,step,epoch,start_s,ratio\na,0,0,0,1e\n"),
            "run/steps.csv:2: `1e` in column `ratio` is not a number" + hint);
}

}  // namespace
}  // namespace sim::report
