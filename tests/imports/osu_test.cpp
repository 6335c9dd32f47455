// The import of the OSU Micro-Benchmarks: sizes as we count them, and every refusal by name.
#include "calibrate/imports/osu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::imports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string all_reduce =
    "\n# OSU MPI Allreduce Latency Test v5.9\n# Size       Avg Latency(us)\n4                       1.95\n"
    "8                       2.05\n";
const LogHints four_ranks{nullptr, 4, 2};

std::string osu_error(const std::string& text, const LogHints& hints = four_ranks) {
  const auto imported = import_osu(text, "o.txt", hints);
  return imported ? "imported" : imported.error().text();
}

TEST(ImportOsu, AllReduceCountsItsBuffer) {
  const auto imported = import_osu(all_reduce, "o.txt", four_ranks);
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->measured.operation->name, "all_reduce");
  EXPECT_EQ(imported->measured.ranks, 4);
  EXPECT_EQ(imported->measured.nodes, 2);
  EXPECT_EQ(imported->measured.facts.tool, "OSU MPI Allreduce Latency Test v5.9");
  EXPECT_THAT(imported->measured.points, ElementsAre(measurements::MeasuredPoint{{4}, {1.95 / 1e6}},
                                                     measurements::MeasuredPoint{{8}, {2.05 / 1e6}}));
}

TEST(ImportOsu, AllGatherCountsTheTotal) {
  const std::string text =
      "# OSU MPI-CUDA Allgather Latency Test v7.3\n# Datatype: MPI_CHAR.\n"
      "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
      "1                       3.10              3.00              3.20        1000\n";
  const auto imported = import_osu(text, "o.txt", four_ranks);
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_THAT(imported->measured.points, ElementsAre(measurements::MeasuredPoint{{4}, {3.1 / 1e6}}));
}

TEST(ImportOsu, PingPongHasTwoRanksAndItsEmptyMessageIsCounted) {
  const std::string text =
      "[1,0]<stdout>:# OSU MPI Latency Test v7.3\n[1,0]<stdout>:# Size          Latency (us)\n"
      "[1,0]<stdout>:0                       1.00\n[1,0]<stdout>:1                       1.01\n";
  const auto imported = import_osu(text, "o.txt", {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->measured.operation->name, "point_to_point");
  EXPECT_EQ(imported->measured.ranks, 2);
  EXPECT_THAT(imported->skipped, ElementsAre("1 row skipped: size 0"));
}

TEST(ImportOsu, FailedValidationIsSkippedAndCounted) {
  const std::string text =
      "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)        Validation\n"
      "4                       1.95              Pass\n8                       2.05              Fail\n";
  const auto imported = import_osu(text, "o.txt", four_ranks);
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_THAT(imported->skipped, ElementsAre("1 row skipped: failed validation"));
}

TEST(ImportOsu, ALastRowWithoutALineBreakIsSkippedByName) {
  const auto imported = import_osu(all_reduce + "32                      1", "o.txt", four_ranks);  // of 13.5
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->measured.points.size(), 2);
  EXPECT_THAT(imported->skipped, ElementsAre("1 row skipped: the log ends in line 6 without a line break, "
                                             "`32                      1` may be cut"));
  EXPECT_EQ(osu_error("# OSU MPI Allreduce Latency Test v7.3\n4 1"),
            "o.txt: no rows found; use the complete log");
  const auto size_alone = import_osu(all_reduce + "3", "o.txt", four_ranks);
  ASSERT_TRUE(size_alone) << size_alone.error().text();
  EXPECT_EQ(size_alone->measured.points.size(), 2);
}

TEST(ImportOsu, TheSourceIsTheFilesNameWithoutItsFolders) {
  const auto imported = import_osu(all_reduce, "/home/someone/o.txt", four_ranks);
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->measured.facts.source, "o.txt");
}

TEST(ImportOsu, RanksAreNeeded) {
  EXPECT_EQ(osu_error(all_reduce, {}), "o.txt: OSU does not print its ranks; state their number by --ranks");
}

TEST(ImportOsu, OtherTestsAreRefusedByName) {
  EXPECT_THAT(osu_error("# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1    2.5\n"),
              HasSubstr("o.txt:1:1: the times of test `MPI Bandwidth Test v7.3` cannot be used"));
  EXPECT_THAT(osu_error("# OSU MPI Non-blocking Allreduce Latency Test v7.3\n"),
              HasSubstr("`Non-blocking Allreduce`"));
  EXPECT_THAT(osu_error("# OSU MPI Allreduce Latency Test v7.3\n# Size    Bandwidth (MB/s)\n"),
              HasSubstr("has no latency"));
}

TEST(ImportOsu, DamagedLogsAreRefusedByName) {
  EXPECT_THAT(osu_error("no log\n"), HasSubstr("no line `# OSU MPI ... Latency Test` found"));
  EXPECT_THAT(osu_error("# OSU MPI Allreduce Latency Test v7.3\n"), HasSubstr("no rows found"));
  EXPECT_THAT(osu_error(all_reduce + "16\n"), HasSubstr("o.txt:6:1: the row is truncated"));
  EXPECT_THAT(osu_error(all_reduce + "16   nan\n"), HasSubstr("o.txt:6:6: `nan` is not a latency"));
  EXPECT_THAT(osu_error(all_reduce + "8   2.5\n"), HasSubstr("sizes do not increase"));
  EXPECT_THAT(osu_error(all_reduce + all_reduce), HasSubstr("second test in one file"));
}

TEST(ImportOsu, ARowAboveTheFirstLineOfItsTestIsRefused) {
  const auto imported =
      import_osu("4 3.50\n# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n16 3.61\n",
                 "a", {nullptr, 4, 2});
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().text(),
            "a:1:1: a row above the first line of its test; use the unmodified output of the test");
}

}  // namespace
}  // namespace calibrate::imports
