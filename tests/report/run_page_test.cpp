// The report on a run: its parts, and none without data.
#include "sim/report/run_page.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/run_folder.hpp"
#include "sim/report/study_document.hpp"
#include "tests/report/simulated.hpp"
#include "tests/scratch_folder.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::Column;
using command_line::Table;

namespace {

using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;
using testing::VariantWith;

std::vector<std::string> section_titles(const Page& page) {
  std::vector<std::string> names;
  for (const Section& section : page.sections) names.push_back(section.title);
  return names;
}

const Section& section(const Page& page, const std::string& title) {
  return *std::ranges::find(page.sections, title, &Section::title);
}

std::string summary_of(const SimulatedStudy& study) {
  const ExpectationReport report = judge(study);
  return study_json({&study, &report});
}

/// Of the test's study, with steps as they are given.
Page page_of(const SimulatedStudy& study, const std::vector<engine::StepRecord>& steps = {}) {
  const tests::ScratchFolder scratch;
  auto folder = RunFolder::open(scratch / "run");
  for (const SimulatedArm& arm : study.arms) {
    folder->begin_arm(arm.result.name, 8);
    for (const engine::StepRecord& step : steps) folder->add(step);
  }
  folder->write(summary_of(study), "workload: x\n");
  folder->finish();
  auto page = run_page(scratch / "run");
  EXPECT_TRUE(page.has_value()) << page.error().text();
  return std::move(*page);
}

engine::StepRecord numbered_step(int number) {
  engine::StepRecord step;
  step.step = number;
  step.start = {0.1 * number};
  step.duration = {0.1};
  step.collective = "ring_allreduce";
  step.method = "none";
  return step;
}

/// Every chart finds its columns in the page's data, and some row has a value.
void expect_data(const Page& page) {
  for (const Section& part : page.sections) {
    if (!part.chart) continue;
    const auto data = std::ranges::find(page.data, part.chart->data, &std::pair<std::string, Table>::first);
    ASSERT_NE(data, page.data.end()) << part.title;
    EXPECT_FALSE(data->second.rows.empty()) << part.title;
    for (const auto* keys : {&part.chart->x, &part.chart->y, &part.chart->by, &part.chart->filters})
      for (const std::string& key : *keys)
        EXPECT_TRUE(std::ranges::count(data->second.columns, key, &Column::key)) << part.title << ": " << key;
  }
}

/// Rows of a sweep with the time of a step.
command_line::Table whole_runs_of(double dense_s, double topk_s) {
  command_line::Table rows;
  for (const char* key : {"arm", "steps", "step_time_s", "total_time_s", "throughput_samples_per_s"})
    rows.columns.push_back({key, "", {}});
  for (const auto& [arm, step] : {std::pair{"dense", dense_s}, std::pair{"topk", topk_s}})
    rows.rows.push_back({arm, std::int64_t{10}, step, 10 * step, 100 / step});
  return rows;
}

/// Data of the chart of step parts, with arms whose steps take so long.
Table parts_of_arms(double first_ms, double second_ms) {
  TestStudy test;
  test.add("first", "none", {phase("all", {.compute_ms = first_ms / 2, .exchange_ms = first_ms / 2})});
  test.add("second", "none", {phase("all", {.compute_ms = second_ms / 4, .exchange_ms = second_ms * 3 / 4})});
  const Page page = page_of(test.played);
  return std::ranges::find(page.data, "parts", &std::pair<std::string, Table>::first)->second;
}

TEST(RunPage, DrawsSharesOfStepsWhereALongOneWouldHideTheOthers) {
  const auto cells = [](const Table& table, const char* key) {
    const std::size_t column = *command_line::column_of(table, key);
    return std::vector<Cell>{table.rows[0][column], table.rows[1][column]};
  };
  EXPECT_THAT(cells(parts_of_arms(100, 900), "exposed_time_s"),
              ElementsAre(VariantWith<double>(DoubleNear(0.05, 1e-12)),
                          VariantWith<double>(DoubleNear(0.675, 1e-12))));
  EXPECT_THAT(
      cells(parts_of_arms(100, 1100), "exposed_time_s"),
      ElementsAre(VariantWith<double>(DoubleNear(0.5, 1e-12)), VariantWith<double>(DoubleNear(0.75, 1e-12))));
}

/// Means of 0.1 and 0.3 s with their interval: 12.706 standard errors of 0.1 s upwards, and down to 0.
TEST(RunPage, DrawsMeansOverSeedsWithTheirIntervals) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 100})});
  test.add("topk", "topk", {phase("all", {.exchange_ms = 10})});
  test.played.seeds = {{1, whole_runs_of(0.1, 0.1)}, {2, whole_runs_of(0.3, 0.2)}};
  const Page page = page_of(test.played);
  expect_data(page);
  const Section& drawn = section(page, "Over 2 seeds: step");
  EXPECT_EQ(drawn.chart->kind, ChartKind::bars);
  EXPECT_THAT(drawn.chart->y, ElementsAre("step_time_s"));
  const auto& [name, table] = *std::ranges::find(page.data, "seeds", &std::pair<std::string, Table>::first);
  const auto ends_at = [](double value) { return VariantWith<double>(DoubleNear(value, 1e-3)); };
  EXPECT_THAT(table.rows.at(0), ElementsAre(Cell("dense"), Cell(std::int64_t{2}), Cell(0.2), Cell(0.0),
                                            ends_at(1.4706), Cell(2.0), Cell(0.0), ends_at(14.706)));
}

/// Of 0.1 and 0.3 s the middle is 0.2 s; dense takes its stated 200 ms in every sample.
TEST(RunPage, DrawsMediansOverSamples) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 100})});
  test.add("topk", "topk", {phase("all", {.exchange_ms = 10})});
  test.played.uncertain.emplace();
  test.played.uncertain->inputs = {{"compression.time", "0 s to 1 s", "s.yaml:1:1", "", {"topk"}, {0, 1}}};
  test.played.uncertain->rows = {whole_runs_of(0.2, 0.1), whole_runs_of(0.2, 0.3)};
  const Page page = page_of(test.played);
  expect_data(page);
  EXPECT_THAT(section_titles(page), Contains("Over 2 samples: step"));
  const auto& [name, table] = *std::ranges::find(page.data, "samples", &std::pair<std::string, Table>::first);
  EXPECT_EQ(table.rows.at(0).at(2), Cell(0.2));
  EXPECT_EQ(table.rows.at(0).at(3), Cell(0.2));
  EXPECT_NEAR(std::get<double>(table.rows.at(1).at(2)), 0.2, 1e-12);
  EXPECT_NEAR(std::get<double>(table.rows.at(1).at(3)), 0.11, 1e-12);
}

TEST(RunPage, SaysWhatWasAskedAndWhatIsTheAnswer) {
  TestStudy test("Which one?");
  test.add("dense", "none", {phase("all", {.exchange_ms = 100})});
  test.add("topk", "topk", {phase("all", {.exchange_ms = 10})});
  const Page page = page_of(test.played);
  EXPECT_EQ(page.title, "test.yaml");
  EXPECT_EQ(page.question, "Which one?");
  EXPECT_THAT(page.answers, ElementsAre(HasSubstr("`topk` 1.81 times")));
  EXPECT_THAT(section_titles(page),
              ElementsAre("Arms", "Time of a step", "Sources of the numbers", "The scenario, resolved"));
  EXPECT_EQ(section(page, "The scenario, resolved").folded, "workload: x\n");
  expect_data(page);
}

TEST(RunPage, StepsBringChartsOverTraining) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  std::vector<engine::StepRecord> steps;
  for (int i = 0; i < 5; ++i) {
    steps.push_back(numbered_step(i));
    steps.back().ratio = 0.01 * (i + 1);
    steps.back().network = netmodels::LinkState{{0.001}, {1.25e9 * (i + 1)}};
    steps.back().buffer = engine::BufferState{70.0 + i, 40, {7000}, 900};
    steps.back().learning = engine::LearningStep{2.5 - i, 4, 3, 0.5, 100, {}};
  }
  const Page page = page_of(test.played, steps);
  EXPECT_THAT(section_titles(page),
              IsSupersetOf({"Step time over training", "Compression over training", "Network over time",
                            "Buffers of the streams", "Statistics of the learner"}));
  expect_data(page);
}

TEST(RunPage, FiguresThatStayTheSameAreNotDrawn) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  std::vector<engine::StepRecord> steps;
  for (int i = 0; i < 5; ++i) {
    steps.push_back(numbered_step(i));
    steps.back().ratio = 0.01;
    steps.back().network = netmodels::LinkState{{0.001}, {1.25e9 * (i + 1)}};
  }
  const Page page = page_of(test.played, steps);
  EXPECT_THAT(section_titles(page), Not(Contains("Compression over training")));
  EXPECT_THAT(section(page, "Network over time").chart->y, ElementsAre("bandwidth_bytes_per_s"));
}

TEST(RunPage, OpensWithTheTimeOfEachArmOverTheBandwidth) {
  const auto at = [](double gigabits, double dense, double topk) {
    return TimesAtBandwidth{netmodels::Bandwidth{gigabits * 1.25e8},
                            {{{dense}, {dense}, {dense}}, {{topk}, {topk}, {2 * topk}}}};
  };
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 100})});
  test.add("topk", "topk", {phase("all", {.exchange_ms = 10})});
  const netmodels::Bandwidth slow{1.25e7}, fast{1.25e9}, tie_from{1e8}, tie_to{2e8};
  const std::vector<netmodels::FastestFrom> winners{{1, slow, slow, slow}, {0, {1.5e8}, tie_from, tie_to}};
  test.played.by_bandwidth = {
      {{0, 1}, slow, slow, fast, winners, winners, winners, {at(0.1, 0.02, 0.004), at(10, 0.001, 0.002)}}};
  test.study().warnings = {"s.yaml:1:1: it may not fit"};
  const Page page = page_of(test.played);
  ASSERT_TRUE(page.picture);
  EXPECT_EQ(page.picture->title, "Time per sample against bandwidth");
  EXPECT_TRUE(page.picture->chart->wide_x);
  EXPECT_THAT(page.picture->chart->stripes, ElementsAre(std::pair{1e8, 2e8}));
  const auto& table =
      std::ranges::find(page.data, "by_bandwidth", &std::pair<std::string, Table>::first)->second;
  ASSERT_THAT(table.rows, SizeIs(4));
  EXPECT_THAT(table.rows[3], ElementsAre(Cell(1.25e9), Cell("topk"), Cell(0.002), Cell(0.002), Cell(0.004)));
  EXPECT_THAT(page.warnings, ElementsAre("s.yaml:1:1: it may not fit"));
}

TEST(RunPage, WithoutANetworkOrALearnerThereAreNoChartsOfThem) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  const Page page = page_of(test.played, {numbered_step(0), numbered_step(1)});
  EXPECT_THAT(section_titles(page), Contains("Step time over training"));
  for (const char* no : {"Network over time", "Buffers of the streams", "Statistics of the learner",
                         "Compression over training", "Accuracy against simulated time", "Events"})
    EXPECT_THAT(section_titles(page), Not(Contains(no)));
}

TEST(RunPage, OneStepMakesNoLine) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  EXPECT_THAT(section_titles(page_of(test.played, {numbered_step(0)})),
              Not(Contains("Step time over training")));
}

TEST(RunPage, DensitiesAreThereWhereAnArmUsedSeveral) {
  TestStudy test;
  SimulatedArm& arm = test.add("a", "none", {phase("all", {})});
  arm.result.whole.collectives = {{"ring", 7}, {"tree", 3}};
  arm.result.whole.ratios = {{0.01, 4}, {0.1, 6}};
  const Page page = page_of(test.played);
  EXPECT_THAT(section_titles(page),
              IsSupersetOf({"Share of steps by collective", "Share of steps by compression ratio"}));
  EXPECT_THAT(section_titles(page), Not(Contains("Share of steps by compressor")));
  expect_data(page);
}

TEST(RunPage, StatesOfTheNetworkCanBeChosen) {
  TestStudy test;
  test.add("a", "none", {phase("early", {}), phase("late", {.exchange_ms = 100})});
  const Page page = page_of(test.played);
  const Section& parts = section(page, "Time of a step");
  EXPECT_THAT(parts.chart->filters, ElementsAre("phase"));
  EXPECT_THAT(parts.table->rows, SizeIs(2));
  EXPECT_THAT(page.data[0].second.rows, SizeIs(3));  // the whole run first
}

TEST(RunPage, AThousandTestsAreThinnedToTheLastOne) {
  TestStudy test;
  SimulatedArm& arm = test.add("a", "none", {phase("all", {})});
  arm.result.learning = engine::LearningResult{};
  for (int i = 1; i <= 1000; ++i)
    arm.result.learning->curve.push_back({i, 0.1 * i, {1.0 * i}, {}, {}, 0.0005 * i});
  const Page page = page_of(test.played);
  const auto data = std::ranges::find(page.data, "tests", &std::pair<std::string, Table>::first);
  EXPECT_LE(data->second.rows.size(), 402U);
  EXPECT_EQ(data->second.rows.back()[3], Cell(std::int64_t{1000}));
  EXPECT_THAT(
      section(page, "Accuracy against simulated time").sentences,
      ElementsAre("Of 1000 tests, an even sample is drawn, and of each arm those with the highest accuracy "
                  "and the lowest loss."));
}

TEST(RunPage, TheBestTestsOfEachArmAreDrawn) {
  TestStudy test;
  for (const char* name : {"a", "b"}) {
    SimulatedArm& arm = test.add(name, "none", {phase("all", {})});
    arm.result.learning = engine::LearningResult{};
    for (int i = 1; i <= 1000; ++i)
      arm.result.learning->curve.push_back(
          {i, 0.1 * i, {1.0 * i}, {}, i == 503 ? 0.25 : 2, i == 500 ? 0.9 : 0.5});
  }
  const Page page = page_of(test.played);
  const auto& rows =
      std::ranges::find(page.data, "tests", &std::pair<std::string, Table>::first)->second.rows;
  for (const char* name : {"a", "b"}) {
    const auto has = [&](std::size_t column, double value) {
      return std::ranges::any_of(
          rows, [&](const auto& row) { return row[0] == Cell(name) && row[column] == Cell(value); });
    };
    EXPECT_TRUE(has(5, 0.9)) << name;
    EXPECT_TRUE(has(6, 0.25)) << name;
  }
  EXPECT_LE(rows.size(), 2 * 403U);
}

TEST(RunPage, AnInterruptedRunWithoutArmsIsAPage) {
  const TestStudy test;
  const Page page = page_of(test.played);
  EXPECT_THAT(page.answers, ElementsAre("No arm was simulated to its end."));
  EXPECT_THAT(section_titles(page), Not(Contains("Arms")));
}

TEST(RunPage, AFolderThatNoRunFilledIsRefused) {
  const tests::ScratchFolder scratch;
  const std::string folder = scratch.path().string();
  const auto error = [&] { return run_page(scratch.path()).error().text(); };
  const std::string hint = "; name a folder that `sim run FILE --out DIR` filled";
  EXPECT_EQ(error(), folder + ": has no summary.json" + hint);
  scratch.write("summary.json", "{}");
  EXPECT_EQ(error(), folder + ": has no scenario.resolved.yaml" + hint);
  scratch.write("scenario.resolved.yaml", "");
  EXPECT_EQ(error(), folder + ": has no steps.csv" + hint);
  scratch.write("steps.csv", "");
  EXPECT_EQ(error(), folder + "/summary.json: has no schema_version; write it again: sim run FILE --out DIR");
}

}  // namespace
}  // namespace sim::report
