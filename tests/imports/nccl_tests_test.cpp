// The import of nccl-tests: every version's form gives back the printed values, and damaged logs are refused
// by name.
#include "calibrate/imports/nccl_tests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/calibrate/printed_log.hpp"

namespace calibrate::imports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string head_old =
    "# Using devices\n"
    "#   Rank  0 Pid   9192 on a-2 device  0 [0x00] Tesla K80\n"
    "#   Rank  1 Pid   9178 on a-3 device  0 [0x00] Tesla K80\n"
    "#\n"
    "#       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw  "
    "error\n"
    "#        (B)    (elements)                       (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n";

const std::string end_old = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.44\n";

const std::string row_old =
    "     1048576        262144     float     sum   2410.0    0.44    0.44  1e-07   2709.7    0.39    0.39  "
    "1e-07\n";

std::string nccl_tests_error(const std::string& text, const LogHints& hints = {}) {
  const auto imported = import_nccl_tests(text, "a.log", hints);
  return imported ? "imported" : imported.error().text();
}

std::vector<LogStyle> styles() {
  return {{},
          {.root_column = true, .names_test = false},
          {.prefix = "[1,0]<stdout>:"},
          {.prefix = "[prterun-host-12@1,0]<stdout>: "},
          {.prefix = "0: "},
          {.prefix = "worker-0 | "},
          {.prefix = "launcher-x7k2p mpi-launcher "},
          {.prefix = "2026-03-02T10:11:12.345678901Z stdout F "},
          {.prefix = "2026-03-02T10:11:12.345Z\t"},
          {.prefix = "Mar 02 10:11:12 node-1 slurmstepd[1234]: "},
          {.prefix = "Mon Mar  2 10:11:12 2026[1,0]<stdout>:"},
          {.prefix = "[node-1:00812] [0] "},
          {.prefix = "(main, rank=0, pid=812) "},
          {.prefix = "[2026-03-02 10:11:12] INFO nccl 0: "},
          {.nccl_lines = true},
          {.nccl_lines = true, .prefix = "[1,0]<stdout>:"},
          {.blank_out_of_place = true},
          {.exponents = true},
          {.wrong = "N/A"}};
}

TEST(ImportNcclTests, GivesBackWhatWasPrintedInEveryForm) {
  unsigned seed = 0;
  for (const measurements::Operation& operation : measurements::operations()) {
    if (!operation.nccl_tests) continue;
    for (const LogStyle& style : styles()) {
      const measurements::Measurements printed = random_measurements(operation, 8, 2, ++seed);
      const std::string text = print_nccl_tests(printed, style);
      const auto imported = import_nccl_tests(text, "a.log", {&operation, {}, {}});
      ASSERT_TRUE(imported) << imported.error().text() << "\n" << text;
      EXPECT_EQ(imported->measured.points, printed.points) << text;
      EXPECT_EQ(imported->measured.operation, &operation);
      EXPECT_EQ(imported->measured.ranks, 8);
      EXPECT_EQ(imported->measured.nodes, 2);
      EXPECT_THAT(imported->skipped, ElementsAre());
    }
  }
}

TEST(ImportNcclTests, GivesBackWhatWasPrintedAsJson) {
  for (const measurements::Operation& operation : measurements::operations()) {
    if (!operation.nccl_tests) continue;
    const measurements::Measurements printed = random_measurements(operation, 4, 4, 7);
    const auto imported = import_nccl_tests(print_nccl_tests_json(printed), "a.json", {});
    ASSERT_TRUE(imported) << imported.error().text();
    EXPECT_EQ(imported->measured.points, printed.points);
    EXPECT_EQ(imported->measured.nodes, 4);
    EXPECT_EQ(imported->measured.facts.machine, "4x Tesla T4");
  }
}

TEST(ImportNcclTests, OldFormWithoutRootAndWithErrorColumnIsRead) {
  const auto imported = import_nccl_tests(head_old + row_old + end_old, "a.log", {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->measured.operation->name, "all_reduce");
  EXPECT_EQ(imported->measured.nodes, 2);
  EXPECT_THAT(imported->measured.points, ElementsAre(measurements::MeasuredPoint{{1048576}, {2410.0 / 1e6}}));
  EXPECT_THAT(imported->measured.facts.notes, ElementsAre(HasSubstr("rows fit all_reduce only")));
}

TEST(ImportNcclTests,
     OldFormWithoutReductionNameIsRead) {  // all-gather of 2.0: blank redop, algbw of (N-1)/N
  const std::string row =
      "     2097152        262144     float            2410.0    0.44    0.44  0e+00   2709.7    0.39    "
      "0.39  0e+00\n";
  const auto imported =
      import_nccl_tests(head_old + row, "a.log", {*measurements::find_operation("all_gather"), {}, {}});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_DOUBLE_EQ(measurements::algorithm_bandwidth(imported->measured.points[0]).count, 2097152 / 2410e-6);
}

TEST(ImportNcclTests, PinnedAlgorithmNetworkAndVersionsAreKept) {
  const std::string info =
      "a-2:9:9 [0] NCCL INFO NCCL_ALGO set by environment to Ring.\n"
      "a-2:9:9 [0] NCCL INFO NCCL_PROTO set by environment to LL128\n"
      "a-2:9:9 [0] NCCL INFO Using network Socket\nNCCL version 2.18.6+cuda12.1\n";
  const auto imported =
      import_nccl_tests("# nccl-tests version 2.16.4 x\n" + info + head_old + row_old, "a.log", {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->measured.facts.algorithm, "Ring");
  EXPECT_EQ(imported->measured.facts.protocol, "LL128");
  EXPECT_EQ(imported->measured.facts.network, "Socket");
  EXPECT_EQ(imported->measured.facts.tool, "nccl-tests 2.16.4, NCCL 2.18.6+cuda12.1");
}

TEST(ImportNcclTests, RowsWithWrongResultsAreSkippedAndCounted) {
  const std::string wrong =
      "     2097152        524288     float     sum   4820.0    0.44    0.44     12   4820.0    0.44    0.44 "
      "     0\n";
  const auto imported = import_nccl_tests(head_old + row_old + wrong + end_old, "a.log", {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->measured.points.size(), 1);
  EXPECT_THAT(imported->skipped, ElementsAre("1 row skipped: wrong results"));
}

const std::string row_of_0 =
    "           0             0     float     sum     5.70    0.00    0.00  0e+00     5.54    0.00    0.00  "
    "0e+00\n";

TEST(ImportNcclTests, RowsOfSize0AreSkippedAndCounted) {
  const auto imported = import_nccl_tests(head_old + row_of_0 + row_of_0 + row_old + end_old, "a.log", {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->measured.points.size(), 1);
  EXPECT_THAT(imported->skipped, ElementsAre("2 rows skipped: size 0"));
  EXPECT_EQ(
      nccl_tests_error(head_old + row_of_0 + end_old, {*measurements::find_operation("all_reduce"), {}, {}}),
      "a.log: no row is left: 1 row skipped: size 0");
}

TEST(ImportNcclTests, ARunThatFailedIsMarked) {
  for (const std::string failure :
       {"a-2: Test NCCL failure common.cu:961 'unhandled system error'",
        "mpirun noticed that process rank 1 with PID 0 on node a exited on signal 9 (Killed).",
        "srun: error: a-2: task 1: Exited with exit code 1",
        "[1,1]<stderr>:a-2: Test CUDA failure common.cu:892 'out of memory'"}) {
    const auto imported = import_nccl_tests(head_old + row_old + failure + "\n", "a.log", {});
    ASSERT_TRUE(imported) << imported.error().text();
    const std::string note = "the run failed, and sizes may be missing (line 8: " + failure + ")";
    EXPECT_THAT(imported->skipped, ElementsAre(note));
    EXPECT_THAT(imported->measured.facts.notes, testing::Contains(note));
  }
}

TEST(ImportNcclTests, ALogWithoutTheToolsLastLinesIsMarked) {
  const std::string note =
      "the log ends before the tool's last lines: the run may have failed, and sizes may be missing";
  const auto cut = import_nccl_tests(head_old + row_old, "a.log", {});
  ASSERT_TRUE(cut) << cut.error().text();
  EXPECT_THAT(cut->skipped, ElementsAre(note));
  EXPECT_THAT(cut->measured.facts.notes, testing::Contains(note));
  const auto whole = import_nccl_tests(head_old + row_old + end_old, "a.log", {});
  ASSERT_TRUE(whole) << whole.error().text();
  EXPECT_THAT(whole->skipped, ElementsAre());
  const auto excerpt =
      import_nccl_tests(row_old, "a.log", {*measurements::find_operation("all_reduce"), 2, {}});
  ASSERT_TRUE(excerpt) << excerpt.error().text();
  EXPECT_THAT(excerpt->skipped, ElementsAre());
}

TEST(ImportNcclTests, WrongResultsThatTheToolReportsAreMarked) {
  const std::string wrong = "# Out of bounds values : 12 FAILED";
  const auto imported = import_nccl_tests(head_old + row_old + wrong + "\n", "a.log", {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_THAT(imported->skipped, ElementsAre("the tool reports wrong results (line 8: " + wrong + ")"));
}

TEST(ImportNcclTests, WrongResultsInJsonAreMarked) {
  std::string text = print_nccl_tests_json(random_measurements(measurements::operations()[0], 2, 1, 1));
  text.insert(1, R"("out_of_bounds": {"count": 3, "okay": false}, )");
  const auto imported = import_nccl_tests(text, "a.json", {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_THAT(imported->skipped, ElementsAre(HasSubstr("the tool reports wrong results")));
}

TEST(ImportNcclTests, SeveralOperationsOrTypesInOneLogAreNamed) {
  const auto row = [](const std::string& type, const std::string& operation) {
    return "     1048576        262144     " + type + "     " + operation +
           "   2410.0    0.44    0.44  1e-07   2709.7    0.39    0.39  1e-07\n";
  };
  const std::string begin = "a.log:8: sizes do not increase: 1048576 bytes comes after 1048576 bytes";
  const std::string end =
      "; use a separate file for each operation, type and root, as `-o sum -d float -r 0` prints";
  EXPECT_EQ(nccl_tests_error(head_old + row_old + row("float", "max")),
            begin + "; the log holds several tests, of `float sum` and of `float max`" + end);
  EXPECT_EQ(nccl_tests_error(head_old + row_old + row("int32", "sum")),
            begin + "; the log holds several tests, of `float sum` and of `int32 sum`" + end);
}

// A log of rccl-tests names its tool and its library otherwise.
TEST(ImportNcclTests, RcclTestsAreRead) {
  const std::string head =
      "# Collective test starting: all_reduce_perf\nrccl-tests: Version develop:5272cd1\n"
      "RCCL version : 2.22.3-develop:8a11f7c\n";
  const auto imported = import_nccl_tests(head + head_old + row_old + end_old, "a.log", {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->measured.facts.tool, "rccl-tests develop:5272cd1, RCCL 2.22.3-develop:8a11f7c");
  EXPECT_EQ(imported->measured.points.size(), 1);
}

TEST(ImportNcclTests, ARowCutBehindAPrefixIsRefused) {
  EXPECT_THAT(nccl_tests_error(head_old + "0:     2097152        5242"), HasSubstr("the row is truncated"));
}

TEST(ImportNcclTests, AnErrorThatIsNoNumberIsRefused) {
  for (const char* wrong : {"nan", "inf", "-1"}) {
    const std::string row = "     2097152        524288     float     sum   4820.0    0.44    0.44     " +
                            std::string(wrong) + "   4820.0    0.44    0.44      0\n";
    EXPECT_THAT(nccl_tests_error(head_old + row), HasSubstr("is not a #wrong count; accepted: a count, N/A"));
  }
}

TEST(ImportNcclTests, NoRowsIsAnError) {
  EXPECT_EQ(nccl_tests_error(head_old), "a.log: no rows of nccl-tests found; use the output of the tool");
  EXPECT_EQ(nccl_tests_error(""), "a.log: no rows of nccl-tests found; use the output of the tool");
}

TEST(ImportNcclTests, EveryPlaceWhereALogCanEndIsAnErrorOrAWholeRow) {
  const std::string whole = head_old + row_old;
  const std::size_t row_begin = head_old.size();
  for (std::size_t end = row_begin + 12; end < whole.find("1e-07", whole.find("0.39")); ++end) {
    EXPECT_THAT(
        nccl_tests_error(whole.substr(0, end)),
        testing::AnyOf(HasSubstr("truncated"), HasSubstr("do not match"), HasSubstr("is not a #wrong count")))
        << whole.substr(row_begin, end - row_begin);
  }
}

TEST(ImportNcclTests, RowCutByTheNextRowNamesItsPlace) {
  const std::string cut = "     1048576        262144     float     sum   2410.0    0.44\n";
  EXPECT_EQ(nccl_tests_error(head_old + cut + row_old),
            "a.log:7:62: the row is truncated: no busbw; use the complete log");
}

TEST(ImportNcclTests, ColumnsCountFromTheBeginOfAPrefixedLine) {
  const std::string prefix = "[1,0]<stdout>:";
  const std::string cut = prefix + "     1048576        262144     float     sum   2410.0    0.44\n";
  EXPECT_THAT(nccl_tests_error(head_old + cut), HasSubstr("a.log:7:76: the row is truncated"));
}

TEST(ImportNcclTests, MixedRanksAreRefused) {
  const std::string second = "#   Rank  0 Pid   5 on b-1 device  0 [0x00] Tesla K80\n";
  EXPECT_THAT(nccl_tests_error(second + head_old + row_old), HasSubstr("mixed ranks: duplicate rank"));
  EXPECT_THAT(nccl_tests_error(head_old + row_old + second), HasSubstr("a.log:8:1: second test in one file"));
  EXPECT_THAT(nccl_tests_error(head_old + row_old, {nullptr, 4, {}}),
              HasSubstr("the log lists 2, but --ranks is 4"));
  EXPECT_THAT(nccl_tests_error(row_old), HasSubstr("does not list its ranks; state their number by --ranks"));
  EXPECT_THAT(
      nccl_tests_error("#   Rank  3 Pid   5 on b-1 device  0 [0x00] Tesla K80\n" + head_old + row_old),
      HasSubstr("3 ranks are listed, the last one as 3"));
}

TEST(ImportNcclTests, SizesThatDoNotRiseAreRefused) {
  EXPECT_THAT(nccl_tests_error(head_old + row_old + row_old), HasSubstr("a.log:8: sizes do not increase"));
}

TEST(ImportNcclTests, NotANumberIsRefused) {
  const std::string nan =
      "     1048576        262144     float     sum      nan    0.44    0.44  1e-07   2709.7    0.39    0.39 "
      " 1e-07\n";
  EXPECT_EQ(nccl_tests_error(head_old + nan),
            "a.log:7:51: invalid time `nan`; accepted: a finite number, 0 or above");
  const std::string zero =
      "     1048576        262144     float     sum      0.0    0.00    0.00  1e-07   2709.7    0.39    0.39 "
      " 1e-07\n";
  EXPECT_THAT(nccl_tests_error(head_old + zero), HasSubstr("invalid time 0 us at 1048576 bytes"));
}

TEST(ImportNcclTests, BandwidthsOfAnotherRowOrAnotherNumberOfRanksAreRefused) {
  const std::string other =
      "     1048576        262144     float     sum   2410.0    0.88    0.88  1e-07   2709.7    0.39    0.39 "
      " 1e-07\n";
  EXPECT_THAT(nccl_tests_error(head_old + other, {*measurements::find_operation("all_reduce"), {}, {}}),
              HasSubstr("do not match all_reduce"));
  EXPECT_THAT(nccl_tests_error(row_old, {*measurements::find_operation("all_reduce"), 8, {}}),
              HasSubstr("do not match all_reduce"));
}

TEST(ImportNcclTests, AmbiguousCollectiveIsRefusedByNames) {
  const measurements::Measurements printed =
      random_measurements(**measurements::find_operation("all_gather"), 8, 2, 3);
  EXPECT_EQ(nccl_tests_error(print_nccl_tests(printed, {.names_test = false})),
            "a.log: the log names no collective, and its rows fit all_gather and alltoall; name it by "
            "--collective");
}

TEST(ImportNcclTests, BrokenJsonIsRefusedWithItsPlace) {
  const std::string whole =
      print_nccl_tests_json(random_measurements(measurements::operations()[0], 2, 1, 1));
  EXPECT_THAT(nccl_tests_error(whole.substr(0, whole.size() / 2)),
              HasSubstr("the JSON is invalid or truncated here"));
  EXPECT_EQ(nccl_tests_error("{\"results\":[{\"size\":1e999}]}"),
            "a.log: the JSON has a number that is too large");
  EXPECT_THAT(nccl_tests_error(whole.substr(0, whole.size() / 2)), testing::StartsWith("a.log:"));
  EXPECT_EQ(nccl_tests_error("{}"), "a.log: no rows of nccl-tests found; use the output of the tool");
}

TEST(ImportNcclTests, NanInJsonIsRefused) {
  std::string text = print_nccl_tests_json(random_measurements(measurements::operations()[0], 2, 1, 1));
  text.replace(text.find("\"time\": "), 13, "\"time\": \"nan\"");
  text.replace(text.find("\"nan\"") + 5, text.find(',', text.find("\"nan\"")) - text.find("\"nan\"") - 5, "");
  EXPECT_THAT(nccl_tests_error(text),
              HasSubstr("results[0].out_of_place: `time`, `alg_bw` or `bus_bw` is missing or not a number"));
}

}  // namespace
}  // namespace calibrate::imports
