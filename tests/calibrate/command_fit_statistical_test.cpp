// `calibrate fit statistical` on files: a model, or an error that leaves nothing behind.
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "tests/scratch_folder.hpp"

namespace calibrate {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

class FitStatisticalCommand : public testing::Test {
 protected:
  FitStatisticalCommand() {
    for (const int batch : {50, 100, 400}) files_.push_back(record(batch, 100 * (1 + 200.0 / batch)));
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text).string();
  }

  /// Reaches 0.9 after this many steps.
  [[nodiscard]] std::string record(int batch, double steps) const {
    std::string text = fmt::format(
        "# model: mlp\n# data_set: digits\n# data_set_samples: 1000\n# workers: 1\n# batch: {}\n"
        "# compression: none\n# source: by hand\n# licence: CC0\nstep,accuracy,squared_norm\n",
        batch);
    for (int i = 1; i <= 10; ++i) text += fmt::format("{},{},1\n", steps * i / 9, i / 10.0);
    return write(fmt::format("r{}.csv", batch), text);
  }

  int run(FitStatisticalOptions options) {
    log_.str("");
    out_.str("");
    return run_fit_statistical(options, out_, log_);
  }

  tests::ScratchFolder folder_;
  std::vector<std::string> files_;
  std::ostringstream out_;
  std::ostringstream log_;
};

TEST_F(FitStatisticalCommand, RecordsBecomeALawWithTheirOwnProvenance) {
  EXPECT_EQ(run({.files = files_, .output = path("law.csv"), .target = 0.9, .version = "0"}), exit_done)
      << log_.str();
  const std::string text = tests::text_of(path("law.csv"));
  EXPECT_THAT(text,
              HasSubstr("# model: mlp\n# data_set: digits\n# data_set_samples: 1000\n# source: by hand\n"));
  EXPECT_THAT(text, HasSubstr("\nsmallest_batch,,,50\nlargest_batch,,,400\n"));
  EXPECT_THAT(log_.str(), StartsWith("steps to 0.9 (smoothed): S_min 100, B_crit 200\n"));
}

TEST_F(FitStatisticalCommand, OptionsStandAboveTheFiles) {
  EXPECT_EQ(
      run({.files = files_, .target = 90, .percent = true, .model = "vgg", .samples = 7, .quiet = true}),
      exit_done);
  EXPECT_THAT(out_.str(), HasSubstr("# model: vgg\n# data_set: digits\n# data_set_samples: 7\n"));
  EXPECT_EQ(log_.str(), "");
}

TEST_F(FitStatisticalCommand, LawOutsideTheBandIsWrittenOnlyByForce) {
  files_.push_back(record(800, 700));
  EXPECT_EQ(run({.files = files_, .output = path("law.csv"), .target = 0.9, .quiet = true}), exit_refused);
  EXPECT_THAT(log_.str(),
              HasSubstr(" % (one batch held out) is above the band of 10 %; give more trainings or another "
                        "target; --force writes it anyway\n"));
  EXPECT_FALSE(fs::exists(path("law.csv")));
  EXPECT_EQ(run({.files = files_, .output = path("law.csv"), .target = 0.9, .force = true, .quiet = true}),
            exit_done);
  EXPECT_TRUE(fs::exists(path("law.csv")));
}

TEST_F(FitStatisticalCommand, BandJudgesBatchesThatTheLawHadNotSeen) {
  // By the lines through the other two, S = a + c/b: 200, 242.86 and 125 steps, 33.3, 21.4 and 37.5 % off.
  files_ = {record(50, 300), record(100, 200), record(400, 200)};
  const auto error_of = [&](double band) {
    EXPECT_EQ(run({.files = files_, .target = 0.9, .band_percent = band, .quiet = true}), exit_refused);
    return log_.str();
  };
  EXPECT_THAT(error_of(1),
              StartsWith("the mean error of 30.8 % (one batch held out) is above the band of 1 %"));
}

TEST_F(FitStatisticalCommand, TwoBatchesAreJudgedInSampleAndItIsSaid) {
  files_ = {record(50, 200),
            record(400, 300)};  // more steps with more samples, which no model of this kind fits
  EXPECT_EQ(run({.files = files_, .target = 0.9, .band_percent = 1, .quiet = true}), exit_refused);
  EXPECT_THAT(log_.str(),
              HasSubstr(" % (in sample, as fewer than three batches are given) is above the band of 1 %"));
}

TEST_F(FitStatisticalCommand, WrongOptionsAreRefused) {
  EXPECT_EQ(run({.files = files_, .target = 90}), exit_refused);
  EXPECT_EQ(log_.str(),
            "--target: `90` is not a share; accepted: above 0 to 1, or above 0 to 100 with --percent\n");
  EXPECT_EQ(run({.files = files_, .target = 0.9, .initial_batch = 0}), exit_refused);
  EXPECT_EQ(log_.str(), "--initial-batch: `0` is not a batch; accepted: a number of at least 1\n");
  EXPECT_EQ(run({.files = files_, .target = 0.9, .samples = 0}), exit_refused);
  EXPECT_EQ(log_.str(),
            "--samples: `0` is not a number of samples; accepted: a whole number of at least "
            "1\n");
}

TEST_F(FitStatisticalCommand, ValidationFilesMustBeNamedAndNotMixed) {
  const std::string file =
      write("validation-8.csv", "progress,iteration,metric,grad_sqr,grad_var\n1,0,0.5,1,1\n2,1,0.95,1,1\n");
  EXPECT_EQ(run({.files = {file}, .target = 0.9}), exit_refused);
  EXPECT_EQ(log_.str(), "--model: `" + file + "` does not state its model; state it by --model\n");
  EXPECT_EQ(run({.files = {file, files_[0]}, .target = 0.9}), exit_refused);
  EXPECT_EQ(log_.str(),
            files_[0] +
                ": this is a record, but others are validation files of AdaptDL; fit each kind by itself\n");
}

}  // namespace
}  // namespace calibrate
