// Tables of sweeps, and their fronts.
#include "sim/sweep/sweep_table.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/sweep/database.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/sweep/swept.hpp"

namespace sim::sweep {

// Pareto fronts of two figures.

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Front, KeepsWhatNothingBeatsFromTheBestXToTheBestY) {
  const Figures time{3, 1, 2, 4, 2};
  const Figures bytes{1, 9, 5, 1, 6};
  EXPECT_THAT(front(time, bytes, false, false), ElementsAre(1, 2, 0));
}

TEST(Front, MoreMayBeBetter) {
  const Figures time{3, 1, 2};
  const Figures accuracy{0.9, 0.5, 0.95};
  EXPECT_THAT(front(time, accuracy, false, true), ElementsAre(1, 2));
  EXPECT_THAT(front(accuracy, time, true, false), ElementsAre(2, 1));
}

TEST(Front, OfEqualRowsTheFirstStands) {
  EXPECT_THAT(front({1, 1, 1}, {2, 2, 3}, false, false), ElementsAre(0));
}

TEST(Front, RowsWithoutAFigureTakeNoPart) {
  EXPECT_THAT(front({std::nullopt, 1, 2}, {0, std::nullopt, 5}, false, false), ElementsAre(2));
  EXPECT_THAT(front({}, {}, false, false), IsEmpty());
}

TEST(Front, HoldsAgainstEveryOtherRow) {
  std::mt19937 random(7);
  Figures x;
  Figures y;
  for (int i = 0; i < 300; ++i) {
    x.emplace_back(static_cast<double>(random() % 40));
    y.emplace_back(static_cast<double>(random() % 40));
  }
  const auto beats = [&](std::size_t a, std::size_t b) {
    return *x[a] <= *x[b] && *y[a] >= *y[b] && (*x[a] < *x[b] || *y[a] > *y[b]);
  };
  const auto rows = front(x, y, false, true);
  for (std::size_t row = 0; row < x.size(); ++row) {
    bool beaten = false;
    for (std::size_t other = 0; other < x.size(); ++other) beaten = beaten || beats(other, row);
    bool there = false;
    for (const std::size_t member : rows) there = there || (x[member] == x[row] && y[member] == y[row]);
    EXPECT_EQ(there, !beaten) << row;
  }
}

}  // namespace

// Rows of sweeps by columns.

namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

SweepStore store_of_table() {
  SweepStore store = *SweepStore::open(":memory:", swept_axes(), false);
  store.write(swept(0, {"1 Gbit/s", "ring"}, {{"dense", 0.5, 4e6}, {"topk", 0.2, 1e6}}));
  store.write(swept(1, {"1 Gbit/s", "tree"}, {{"dense", 0.1, 4e6}, {"topk", 0.2, 1e6}}));
  store.write(fallen(2, {"10 Gbit/s", "ring"}, "took too long"));
  store.write(swept(3, {"10 Gbit/s", "tree"}, {{"dense", 0.4, 4e6}, {"topk", 0.3, 1e6}}));
  return store;
}

SweepTable table_of(const SweepStore& store) {
  auto table = sweep_table(store, "s.db");
  EXPECT_TRUE(table.has_value()) << table.error().text();
  return std::move(*table);
}

std::vector<std::string> keys(const std::vector<FigureColumn>& columns) {
  std::vector<std::string> names;
  for (const FigureColumn& column : columns) names.push_back(column.heading.key);
  return names;
}

TEST(SweepTable, RowsArePlayedArmsAndFailedPointsStandApart) {
  const SweepTable table = table_of(store_of_table());
  EXPECT_THAT(table.arms, ElementsAre("dense", "topk", "dense", "topk", "dense", "topk"));
  EXPECT_THAT(table.point, ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(table.values[1], ElementsAre("ring", "ring", "tree", "tree", "tree", "tree"));
  ASSERT_EQ(table.failed.size(), 1U);
  EXPECT_EQ(table.failed[0].point, command_line::Cell(std::int64_t{2}));
  EXPECT_THAT(table.failed[0].values, ElementsAre("10 Gbit/s", "ring"));
  EXPECT_EQ(table.failed[0].message, "took too long");
}

TEST(SweepTable, FiguresThatNeverDifferAreLeftOut) {
  EXPECT_THAT(keys(table_of(store_of_table()).figures),
              ElementsAre("step_time_s", "total_time_s", "throughput_samples_per_s", "sent_bytes"));
}

TEST(SweepTable, AxesOfQuantitiesAreNumbersInBaseUnits) {
  const SweepTable table = table_of(store_of_table());
  EXPECT_THAT(keys(table.axis_figures), ElementsAre("cluster.link.bandwidth"));
  EXPECT_EQ(table.axis_figures[0].heading.measure, command_line::Measure::rate);
  EXPECT_THAT(table.axis_figures[0].values[4], Optional(1.25e9));
}

TEST(SweepTable, TheFastestArmHasTheLeastTimePerSample) {
  EXPECT_THAT(table_of(store_of_table()).fastest,
              ElementsAre("topk", "topk", "dense", "dense", "topk", "topk"));
}

TEST(SweepTable, WithoutPointsItHasNoRows) {
  const SweepTable table = table_of(*SweepStore::open(":memory:", swept_axes(), false));
  EXPECT_EQ(table.rows(), 0U);
  EXPECT_TRUE(table.failed.empty());
}

/// What is said of a file of one point on which some SQL was run.
std::string refused_after(const std::string& sql) {
  const tests::ScratchFolder scratch;
  const auto path = scratch / "s.db";
  {
    SweepStore store = *SweepStore::open(path, swept_axes(), false);
    store.write(swept(0, {"1 Gbit/s", "ring"}, {{"dense", 0.5, 4e6}}));
  }
  Database::open(path, false)->run(sql);
  const auto table = sweep_table(*SweepStore::open(path), "s.db");
  if (table) return "accepted";
  std::string text = table.error().text();
  if (const auto at = text.find(path.string()); at != std::string::npos)
    text.replace(at, path.string().size(), "s.db");
  return text;
}

TEST(SweepTable, ADamagedFileIsRefused) {
  const std::string hint = "; sweep again into another file";
  EXPECT_EQ(refused_after(""), "accepted");
  for (const char* sql : {"DELETE FROM result", "DROP TABLE result", "UPDATE result SET arm = NULL",
                          "ALTER TABLE result RENAME COLUMN arm TO other"})
    EXPECT_EQ(refused_after(sql), "s.db: is damaged: point 0 was simulated but has no result" + hint) << sql;
  EXPECT_EQ(
      refused_after("UPDATE point SET \"cluster.link.bandwidth\" = '7 Gbit/s'"),
      "s.db: is damaged: `7 Gbit/s` at point 0 is not a value of the axis `cluster.link.bandwidth`" + hint);
  EXPECT_EQ(refused_after("UPDATE point SET \"exchange.collective\" = NULL"),
            "s.db: is damaged: `` at point 0 is not a value of the axis `exchange.collective`" + hint);
  EXPECT_EQ(refused_after("ALTER TABLE point RENAME COLUMN \"exchange.collective\" TO other"),
            "s.db: is damaged: the database `s.db` cannot be written or read: no such column: "
            "point.exchange.collective" +
                hint);
}

TEST(MeasureAxis, ValuesOfOneDimensionAreMeasured) {
  EXPECT_THAT(measure_axis({"a", {"1", "2.5"}})->values, ElementsAre(1, 2.5));
  EXPECT_THAT(measure_axis({"a", {"1 ms", "2 s"}})->values, ElementsAre(0.001, 2));
  EXPECT_EQ(measure_axis({"a", {"1 MB", "2 MiB"}})->measure, command_line::Measure::size);
  EXPECT_FALSE(measure_axis({"a", {"1 ms", "2 MB"}}));
  EXPECT_FALSE(measure_axis({"a", {"1", "ring"}}));
}

}  // namespace
}  // namespace sim::sweep
