// The report on a sweep: its sentences, its parts, and that a hundred thousand rows fit.
#include "sim/sweep/sweep_page.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/page.hpp"
#include "sim/sweep/sweep_objectives.hpp"
#include "sim/sweep/sweep_table.hpp"
#include "tests/sweep/swept.hpp"

namespace sim::sweep {
namespace {

using command_line::Cell;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> titles(const report::Page& page) {
  std::vector<std::string> names;
  for (const auto& section : page.sections) names.push_back(section.title);
  return names;
}

const report::Section& section(const report::Page& page, const std::string& title) {
  return *std::ranges::find(page.sections, title, &report::Section::title);
}

report::Page page_of(const SweepStore& store) {
  auto page = sweep_page(store, "folder/s.db");
  EXPECT_TRUE(page.has_value()) << page.error().text();
  return std::move(*page);
}

SweepStore store_of_page() {
  SweepStore store = *SweepStore::open(":memory:", swept_axes(), false);
  store.write(swept(0, {"1 Gbit/s", "ring"}, {{"dense", 0.5, 4e6}, {"topk", 0.2, 1e6}}));
  store.write(swept(1, {"1 Gbit/s", "tree"}, {{"dense", 0.4, 4e6}, {"topk", 0.25, 1e6}}));
  store.write(swept(2, {"10 Gbit/s", "ring"}, {{"dense", 0.1, 4e6}, {"topk", 0.15, 1e6}}));
  store.write(fallen(3, {"10 Gbit/s", "tree"}, "took too long"));
  return store;
}

TEST(SweepPage, SaysWhoIsFastestWhereAndBetweenWhat) {
  const report::Page page = page_of(store_of_page());
  EXPECT_EQ(page.title, "s.db, a sweep of s.yaml");
  EXPECT_EQ(page.question, "Does it pay?");
  EXPECT_THAT(
      page.answers,
      ElementsAre(
          "By time per sample `topk` is the fastest arm at 2 of 3 points, `dense` at 1.",
          "The shortest step is 100 ms (`dense` at cluster.link.bandwidth = 10 Gbit/s, "
          "exchange.collective = ring), the longest 500 ms (`dense` at cluster.link.bandwidth = 1 Gbit/s, "
          "exchange.collective = ring)."));
}

TEST(SweepPage, SaysThatPointsAreMissing) {
  SweepStore store = *SweepStore::open(":memory:", swept_axes(), false);
  store.write(swept(0, {"1 Gbit/s", "ring"}, {{"dense", 0.5, 4e6}, {"topk", 0.2, 1e6}}));
  EXPECT_EQ(page_of(store).answers[0],
            "The sweep is incomplete: 3 of 4 points are left; continue by --resume.");
}

TEST(SweepPage, ATieHasNoWinner) {
  SweepStore store = *SweepStore::open(":memory:", swept_axes(), false);
  for (std::size_t point = 0; point < 4; ++point)
    store.write(
        swept(point, {"1 Gbit/s", "ring"}, {{"dense", 0.5, 4e6}, {"topk", point < 3 ? 0.5 : 0.2, 1e6}}));
  EXPECT_EQ(page_of(store).answers[0],
            "By time per sample `topk` is the fastest arm at 1 of 4 points; at 3 arms tie within 7.5 %.");
}

TEST(SweepPage, ADifferenceWithinTheErrorOfPredictionsIsATie) {
  SweepStore store = *SweepStore::open(":memory:", swept_axes(), false);
  store.write(swept(0, {"1 Gbit/s", "ring"}, {{"dense", 0.5, 4e6}, {"topk", 0.466, 1e6}}));  // 7.3 % more
  store.write(swept(1, {"1 Gbit/s", "tree"}, {{"topk", 0.464, 1e6}, {"dense", 0.5, 4e6}}));  // 7.8 % more
  EXPECT_EQ(page_of(store).answers[0],
            "The sweep is incomplete: 2 of 4 points are left; continue by --resume.");
  EXPECT_EQ(page_of(store).answers[1],
            "By time per sample `topk` is the fastest arm at 1 of 2 points; at 1 arms tie within 7.5 %.");
}

TEST(SweepPage, AnArmThatHardlyMergesWinsNowhere) {
  SweepStore store = *SweepStore::open(":memory:", swept_axes(), false);
  const SweptArm behind{"apart", 0.1, 1e3, "hardly merges"};
  store.write(swept(0, {"1 Gbit/s", "ring"}, {{"dense", 0.5, 4e6}, {"topk", 0.2, 1e6}, behind}));
  store.write(swept(1, {"1 Gbit/s", "tree"}, {{"dense", 0.4, 4e6}, {"topk", 0.25, 1e6}, behind}));
  store.write(swept(2, {"10 Gbit/s", "ring"}, {{"dense", 0.3, 4e6}, {"topk", 0.35, 1e6}, {"apart", 0.15}}));
  store.write(fallen(3, {"10 Gbit/s", "tree"}, "took too long"));
  const report::Page page = page_of(store);
  EXPECT_THAT(
      page.answers,
      ElementsAre("By time per sample `topk` is the fastest arm at 2 of 3 points, `apart` at 1.",
                  "`apart` is not compared at 2 of 3 points: hardly merges.",
                  "The shortest step is 150 ms (`apart` at cluster.link.bandwidth = 10 Gbit/s, "
                  "exchange.collective = ring), the longest 500 ms (`dense` at cluster.link.bandwidth = 1 "
                  "Gbit/s, exchange.collective = ring)."));
  const auto& best = section(page, "Best of each arm").table->rows;
  EXPECT_THAT(best[2], ElementsAre(Cell("apart"), Cell(std::int64_t{3}), Cell(std::int64_t{1}), Cell(0.15),
                                   Cell(1.5), Cell(1e6), Cell("10 Gbit/s"), Cell("ring")));
  EXPECT_THAT(
      section(page, "Pareto front").table->rows,
      ElementsAre(ElementsAre(Cell("apart"), Cell("10 Gbit/s"), Cell("ring"), Cell(1e6), Cell(0.15))));
  EXPECT_THAT(section(page, "Any figure against any other").chart->by, Contains("not_compared"));
}

TEST(SweepPage, ShowsAxesTheBestOfEachArmFrontAndFailures) {
  const report::Page page = page_of(store_of_page());
  EXPECT_THAT(titles(page), ElementsAre("Axes", "Best of each arm", "Any figure against any other",
                                        "Pareto front", "Points that failed", "The scenario, resolved"));
  EXPECT_FALSE(section(page, "Pareto front").chart->thinned);
  EXPECT_THAT(section(page, "Axes").sentences,
              ElementsAre("Design: grid. 3 of 4 points were simulated, 1 failed."));
  const auto& best = section(page, "Best of each arm").table->rows;
  EXPECT_THAT(best[0], ElementsAre(Cell("dense"), Cell(std::int64_t{3}), Cell(std::int64_t{1}), Cell(0.1),
                                   Cell(1.0), Cell(4e6), Cell("10 Gbit/s"), Cell("ring")));
  const auto& front = section(page, "Pareto front").table->rows;
  EXPECT_THAT(front,
              ElementsAre(ElementsAre(Cell("topk"), Cell("10 Gbit/s"), Cell("ring"), Cell(1e6), Cell(0.15)),
                          ElementsAre(Cell("dense"), Cell("10 Gbit/s"), Cell("ring"), Cell(4e6), Cell(0.1))));
  EXPECT_THAT(section(page, "Points that failed").table->rows,
              ElementsAre(ElementsAre(Cell(std::int64_t{3}), Cell("10 Gbit/s"), Cell("tree"),
                                      Cell("took too long"))));
}

/// One arm on 2 and on 32 workers, 10 samples each: 0.5 s for 20 samples, 0.8 s for 320.
SweepStore store_of_workers() {
  SweepIdentity identity = swept_axes();
  identity.axes = {{"cluster.workers", {"2", "32"}}};
  identity.points = 2;
  SweepStore store = *SweepStore::open(":memory:", identity, false);
  store.write(swept(0, {"2"}, {{.arm = "dense", .step_time_s = 0.5, .sent_bytes = 4e6, .samples = 20}}));
  store.write(swept(1, {"32"}, {{.arm = "dense", .step_time_s = 0.8, .sent_bytes = 8e6, .samples = 320}}));
  return store;
}

TEST(SweepPage, PointsOfUnequalStepsAreComparedPerSample) {  // 25 ms and 2.5 ms, 200 kB and 25 kB
  const report::Page page = page_of(store_of_workers());
  const report::Section& pareto = section(page, "Pareto front");
  EXPECT_THAT(pareto.sentences,
              ElementsAre("Steps take different numbers of samples: figures are compared per sample."));
  EXPECT_THAT(pareto.chart->x, ElementsAre("sample_sent_bytes", "sample_time_s", "throughput_samples_per_s"));
  EXPECT_THAT(pareto.table->rows,
              ElementsAre(ElementsAre(Cell("dense"), Cell("32"), Cell(25e3), Cell(0.0025))));
  EXPECT_THAT(section(page, "Best of each arm").table->rows,
              ElementsAre(ElementsAre(Cell("dense"), Cell(std::int64_t{2}), Cell(std::int64_t{2}),
                                      Cell(0.0025), Cell(25e3), Cell("32"))));
  EXPECT_THAT(page.answers,
              Contains("The shortest time per sample is 2.5 ms (`dense` at cluster.workers = 32), "
                       "the longest 25 ms (`dense` at cluster.workers = 2)."));
}

TEST(SweepPage, LongerRunsAreComparedPerSampleAndByTheQualityThatTheyBuy) {
  SweepIdentity identity = swept_axes();
  identity.axes = {{"training.steps", {"10", "20"}}};
  SweepStore store = *SweepStore::open(":memory:", identity, false);
  store.write(swept(0, {"10"}, {{.arm = "dense", .step_time_s = 0.5, .accuracy = 0.7}}));
  store.write(swept(1, {"20"}, {{.arm = "dense", .step_time_s = 0.4, .steps = 20, .accuracy = 0.9}}));
  const report::Page page = page_of(store);
  EXPECT_THAT(section(page, "Pareto front").chart->x,
              ElementsAre("step_time_s", "sample_time_s", "throughput_samples_per_s"));
  const report::Section& quality = section(page, "Quality over time and cost");
  EXPECT_THAT(quality.chart->x, ElementsAre("total_time_s"));
  EXPECT_THAT(quality.chart->greatest, ElementsAre("accuracy"));
  EXPECT_THAT(quality.table->rows, ElementsAre(ElementsAre(Cell("dense"), Cell("10"), Cell(5.0), Cell(0.7)),
                                               ElementsAre(Cell("dense"), Cell("20"), Cell(8.0), Cell(0.9))));
}

/// Any two rows of any front that is offered took equal work: one scaled by its work alone changes nothing.
TEST(SweepPage, WorkAloneMovesNoPointOntoAFront) {
  SweepIdentity identity = swept_axes();
  identity.axes = {{"cluster.workers", {"1", "2", "3", "4"}}};
  SweepStore store = *SweepStore::open(":memory:", identity, false);
  for (std::size_t i = 0; i < 4; ++i) {  // the same speed, times as much work
    const auto work = static_cast<double>(i + 1);
    store.write(swept(
        i, {std::to_string(i + 1)},
        {{.arm = "dense", .step_time_s = 0.25 * work, .sent_bytes = 1e6 * work, .samples = 64 * work}}));
  }
  const SweepTable table = *sweep_table(store, "s.db");
  for (const Objective& x : objectives_of(table))
    for (const Objective& y : objectives_of(table))
      EXPECT_EQ(front(table.find(x.key)->values, table.find(y.key)->values, false, false).size(), 1U)
          << x.key << " " << y.key;
}

TEST(SweepPage, ADamagedFileIsRefused) {
  SweepStore store = store_of_page();
  store.write(swept(4, {"1 Gbit/s", "ring"}, {}));
  EXPECT_EQ(sweep_page(store, "folder/s.db").error().text(),
            "folder/s.db: is damaged: point 4 was simulated but has no result; sweep again into another "
            "file");
}

TEST(SweepPage, AnyAxisAndFigureCanBeChosen) {
  const report::Page page = page_of(store_of_page());
  const auto& chart = *section(page, "Any figure against any other").chart;
  EXPECT_THAT(chart.x, ElementsAre("cluster.link.bandwidth", "step_time_s", "total_time_s",
                                   "throughput_samples_per_s", "sent_bytes"));
  EXPECT_EQ(chart.y.front(), "step_time_s");
  EXPECT_THAT(chart.y, Contains("cluster.link.bandwidth"));
  EXPECT_THAT(chart.by,
              ElementsAre("arm", "fastest", "cluster.link.bandwidth as text", "exchange.collective as text"));
}

TEST(SweepPage, TwoAxesOfNumbersMakeAMap) {
  SweepIdentity identity = swept_axes();
  identity.axes[1] = {"seed", {"1", "2"}};
  SweepStore store = *SweepStore::open(":memory:", identity, false);
  EXPECT_THAT(titles(page_of(store)), Not(Contains("Fastest arm over the axes")));
  store.write(swept(0, {"1 Gbit/s", "1"}, {{"dense", 0.5, 4e6}, {"topk", 0.2, 1e6}}));
  store.write(swept(1, {"10 Gbit/s", "2"}, {{"dense", 0.1, 4e6}, {"topk", 0.2, 1e6}}));
  const report::Page page = page_of(store);
  const auto& chart = *section(page, "Fastest arm over the axes").chart;
  EXPECT_EQ(chart.kind, report::ChartKind::map);
  EXPECT_THAT(chart.x, ElementsAre("cluster.link.bandwidth", "seed"));
  EXPECT_THAT(chart.y, ElementsAre("seed", "cluster.link.bandwidth"));
}

TEST(SweepPage, WithoutAnyPointItSaysSo) {
  const report::Page page = page_of(*SweepStore::open(":memory:", swept_axes(), false));
  EXPECT_THAT(page.answers, ElementsAre(::testing::HasSubstr("4 of 4 points are left"),
                                        "No point was simulated to its end."));
  EXPECT_THAT(titles(page), ElementsAre("Axes", "The scenario, resolved"));
}

TEST(SweepPage, OneArmHasNobodyToBeFasterThan) {
  SweepStore store = *SweepStore::open(":memory:", swept_axes(), false);
  store.write(swept(0, {"1 Gbit/s", "ring"}, {{"dense", 0.5, 4e6}}));
  EXPECT_THAT(page_of(store).answers, ElementsAre(::testing::HasSubstr("3 of 4 points are left"),
                                                  "All points have the same step time."));
}

/// So many points of four arms, no two figures alike.
/// @param sent  bytes, from a number that differs from row to row and the time of the step
SweepStore large_store(std::size_t points, double (*sent)(double place, double time)) {
  SweepIdentity identity = swept_axes();
  identity.axes = {{"seed", {}}};
  for (std::size_t i = 0; i < points; ++i) identity.axes[0].values.push_back(std::to_string(i));
  SweepStore store = *SweepStore::open(":memory:", identity, false);
  const auto place = [](std::size_t row, std::size_t factor) {
    return static_cast<double>(row * factor % 1000003) / 1000003;
  };
  for (std::size_t i = 0; i < points; ++i) {
    std::vector<SweptArm> arms;
    for (std::size_t arm = 0; arm < 4; ++arm) {
      const double time = 0.1 + place(4 * i + arm, 48271);
      arms.push_back({"arm " + std::to_string(arm), time, sent(place(4 * i + arm, 69621), time)});
    }
    store.write(swept(i, {std::to_string(i)}, arms));
  }
  return store;
}

TEST(SweepPage, AHundredThousandRowsAreThinnedAndTheFrontIsWhole) {
  const SweepStore store =
      large_store(25000, [](double place, double time) { return 1e6 * (place + 0.1 / time); });
  const report::Page page = page_of(store);
  const command_line::Table& drawn = page.data.front().second;
  EXPECT_LE(drawn.rows.size(), 12000U);
  EXPECT_THAT(section(page, "Any figure against any other").sentences,
              ElementsAre(HasSubstr(fmt::format("Of 100000 rows, {} are drawn", drawn.rows.size()))));
  EXPECT_TRUE(section(page, "Pareto front").chart->thinned);
  EXPECT_LE(report::page_html(page, std::string(200000, 'x')).size(), 5000000U);

  const SweepTable table = *sweep_table(store, "s.db");
  const auto rows = front(table.find("step_time_s")->values, table.find("sent_bytes")->values, false, false);
  EXPECT_GT(rows.size(), 5U);
  const auto column = static_cast<std::size_t>(
      std::ranges::find(drawn.columns, "step_time_s", &command_line::Column::key) - drawn.columns.begin());
  std::set<double> there;
  for (const auto& row : drawn.rows) there.insert(std::get<double>(row[column]));
  for (const std::size_t row : rows)
    EXPECT_TRUE(there.contains(*table.find("step_time_s")->values[row])) << row;
}

TEST(SweepPage, AFrontOfAllRowsIsThinnedToo) {
  const SweepStore store = large_store(25000, [](double, double time) { return 1e6 / time; });
  EXPECT_LE(page_of(store).data.front().second.rows.size(), 12000U);
}

}  // namespace
}  // namespace sim::sweep
