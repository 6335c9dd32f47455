// The commands on files: import, fit, validate in a row; errors leave no files behind.
#include "calibrate/commands.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/exit_code.hpp"
#include "calibrate/measurements/measurement_csv.hpp"
#include "tests/calibrate/printed_log.hpp"
#include "tests/scratch_folder.hpp"

namespace calibrate {
namespace {

using testing::HasSubstr;

class Commands : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text).string();
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t files() const { return folder_.files().size(); }

  tests::ScratchFolder folder_;
  std::ostringstream out_;
  std::ostringstream log_;
};

TEST_F(Commands, LogBecomesMeasurementsFitAndVerdict) {
  const measurements::Measurements printed = random_measurements(measurements::operations()[0], 8, 2, 1);
  const std::string log = write("a.log", print_nccl_tests(printed, {}));
  EXPECT_EQ(run_import({.tool = "nccl-tests", .files = {log}, .output = path("a.csv")}, out_, log_),
            exit_done)
      << log_.str();
  EXPECT_EQ(run_fit({.files = {path("a.csv")}, .output = path("a.yaml"), .version = "0"}, out_, log_),
            exit_done)
      << log_.str();
  const std::string entry =
      "ledger:\n  - {name: a, rule: file, seen: [a.yaml], measurements: [a.csv], mean: ";
  const std::string ledger = write("l.yaml", entry + "5 %}\n");
  EXPECT_EQ(run_validate({.ledger = ledger}, out_, log_), exit_done) << log_.str();
  EXPECT_THAT(out_.str(), HasSubstr("1 of 1 entries not worse than recorded"));
  write("l.yaml", entry + "0 %}\n");
  EXPECT_EQ(run_validate({.ledger = ledger, .format = "csv"}, out_, log_), exit_refused);
  EXPECT_EQ(files(), 4);
}

TEST_F(Commands, LedgerSkipsByNameWhatIsNotThereAndRefusesToJudgeNothing) {
  const std::string rest = "rule: every_second_size, mean: 90 %, measurements: [";
  write("a.csv", measurements::print_csv(random_measurements(measurements::operations()[0], 8, 2, 1)));
  const std::string ledger = write("l.yaml", "ledger:\n  - {name: here, " + rest +
                                                 "a.csv]}\n  - {name: there, " + rest + "b.csv, c.csv]}\n");
  EXPECT_EQ(run_validate({.ledger = ledger}, out_, log_), exit_done) << log_.str();
  EXPECT_THAT(out_.str(), HasSubstr("skipped: there (2 files are missing, the first " + path("b.csv") + ")"));
  EXPECT_THAT(out_.str(), HasSubstr("1 of 1 entries not worse than recorded, 1 skipped"));
  write("l.yaml", "ledger:\n  - {name: there, " + rest + "b.csv]}\n");
  EXPECT_EQ(run_validate({.ledger = ledger}, out_, log_), exit_refused);
  EXPECT_THAT(log_.str(), HasSubstr("no entry can be judged: the measurements are missing"));
}

TEST_F(Commands, SeveralLogsOfOneCollectiveBecomeOne) {
  measurements::Measurements printed = random_measurements(measurements::operations()[0], 2, 1, 1);
  const std::string small = write("1.log", print_nccl_tests(printed, {}));
  for (measurements::MeasuredPoint& point : printed.points) point.size *= 2;
  const std::string large = write("2.log", print_nccl_tests(printed, {}));
  EXPECT_EQ(run_import({.tool = "nccl-tests", .files = {small, large}}, out_, log_), exit_done) << log_.str();
  EXPECT_EQ(measurements::parse_csv(out_.str(), "-")->points.size(), 2 * printed.points.size());
}

TEST_F(Commands, FitOutsideTheBandIsRefusedUnlessForced) {
  std::string rows = "# collective=all_reduce; nranks=2\nsize_bytes,time_us\n";
  for (int i = 1; i <= 20; ++i) rows += fmt::format("{},{}\n", i * 1000, i % 3 == 0 ? 500 : 10 * i);
  const std::string wild = write("wild.csv", rows);
  EXPECT_EQ(run_fit({.files = {wild}, .output = path("c.yaml")}, out_, log_), exit_refused);
  EXPECT_THAT(log_.str(), HasSubstr("is above the band of 10 %"));
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(run_fit({.files = {wild}, .output = path("c.yaml"), .force = true}, out_, log_), exit_done);
  EXPECT_EQ(files(), 2);
}

TEST_F(Commands, UnreadableFilesAreRefusedByName) {
  const auto said = [&](const std::string& file) {
    log_.str("");
    EXPECT_EQ(run_import({.tool = "nccl-tests", .files = {file}}, out_, log_), exit_refused);
    return log_.str();
  };
  EXPECT_THAT(said(path("none.log")), HasSubstr("none.log: file not found"));
  EXPECT_THAT(said(folder_.path().string()), HasSubstr("this is a folder"));
  EXPECT_THAT(said(write("latin.log",
                         "# Gr\xfc\xdf"
                         "e\n")),
              HasSubstr("latin.log:1:5: the text is not valid UTF-8"));
  EXPECT_THAT(said(write("binary.log", std::string("a\n\0b", 4))),
              HasSubstr("binary.log:2:1: the file is binary"));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(Commands, OptionsOutOfRangeAreRefusedByName) {
  const std::string log =
      write("a.log", print_nccl_tests(random_measurements(measurements::operations()[0], 2, 1, 1), {}));
  EXPECT_EQ(run_import({.tool = "nccl-tests", .files = {log}, .ranks = 1}, out_, log_), exit_refused);
  EXPECT_THAT(log_.str(), HasSubstr("--ranks: `1` is out of range; accepted: 2 to 1000000"));
  EXPECT_EQ(run_import({.tool = "nccl-tests", .files = {log}, .output = path("no/where.csv")}, out_, log_),
            exit_refused);
  EXPECT_THAT(log_.str(), HasSubstr("-o: no such folder:"));
}

}  // namespace
}  // namespace calibrate
