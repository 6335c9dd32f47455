// `calibrate fit kernels`: its output, its messages about times, and its errors.
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "tests/scratch_folder.hpp"

namespace calibrate {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string head =
    "# device=made up\n"
    "compressor,elements,ratio,repetitions,median_us,min_us,p95_us,copy_us,wire_bytes,copies\n";
const std::vector<int> five_sizes{1, 2, 4, 8, 16};  // thousands of values

/// Rows of a compressor at two ratios.
/// @param us  the time of so many thousands of values
std::string rows(const std::string& compressor, const std::vector<int>& thousands,
                 const std::function<double(int)>& us) {
  std::string text;
  for (const int n : thousands) {
    for (const double ratio : {0.1, 0.01})
      text += fmt::format("{},{}000,{},5,{},1,1,1,8,1\n", compressor, n, ratio, us(n));
  }
  return text;
}

double steady(int thousands) { return 7.0 * thousands; }
double wild(int thousands) { return thousands % 3 == 1 ? 500 : 1; }

class FitKernels : public testing::Test {
 protected:
  int run(const std::string& text, FitKernelsOptions options = {}) {
    file_ = folder_.write("times.csv", text).string();
    options.file = file_;
    return run_fit_kernels(options, out_, log_);
  }

  tests::ScratchFolder folder_;
  std::string file_;
  std::ostringstream out_, log_;
};

TEST_F(FitKernels, WritesWhatAValueCostsAndSaysHowFarItLiesFromHeldOutSizes) {
  ASSERT_EQ(run(head + rows("topk", five_sizes, steady)), exit_done) << log_.str();
  EXPECT_THAT(out_.str(), HasSubstr("{method: 'topk', fixed: 0 s, per_million_values: 7 ms, "));
  EXPECT_THAT(out_.str(),
              HasSubstr(", smallest: 1000, largest: 16000, smallest_ratio: 0.01, largest_ratio: 0.1, "));
  EXPECT_EQ(log_.str(),
            "topk: 10 points of 1000 to 16000 values; one size held out at a time: median 0.0 %, worst 0.0 "
            "%\n");
}

TEST_F(FitKernels, RefusesAllThatLieOutsideTheBandAtOnceUnlessForced) {
  const std::string text = head + rows("topk", five_sizes, wild) + rows("qsgd", five_sizes, steady) +
                           rows("dgc", five_sizes, wild);
  EXPECT_EQ(run(text, {.quiet = true}), exit_refused);
  EXPECT_EQ(out_.str(), "");
  EXPECT_THAT(log_.str(), testing::MatchesRegex(
                              ".*times.csv: the median held-out error is above the band of 25 % for topk "
                              "of 1000 to 16000 values \\([0-9.]+ %\\), dgc of 1000 to 16000 values "
                              "\\([0-9.]+ %\\); measure on a quieter machine or at more sizes, or leave "
                              "their rows out; --partial writes the others, --force writes them anyway\n"));
  EXPECT_EQ(run(text, {.force = true}), exit_done);
  EXPECT_THAT(out_.str(), HasSubstr("method: 'dgc'"));
}

TEST_F(FitKernels, WritesThoseWithinTheBandAndNamesEachOtherOneWherePartialIsAsked) {
  const std::string text =
      head + rows("topk", five_sizes, wild) + rows("qsgd", five_sizes, steady) + rows("dgc", {1, 2}, steady);
  ASSERT_EQ(run(text, {.partial = true, .quiet = true}), exit_done) << log_.str();
  EXPECT_THAT(log_.str(),
              testing::MatchesRegex("left out: held-out error above the band of 25 %: topk of 1000 to 16000 "
                                    "values \\([0-9.]+ %\\)\nleft out: dgc was measured at 2 sizes\n"));
  EXPECT_THAT(out_.str(), HasSubstr("method: 'qsgd'"));
  EXPECT_THAT(out_.str(), HasSubstr("\n# left out: dgc was measured at 2 sizes\n"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("method: 'topk'")));
}

TEST_F(FitKernels, RefusesWhereNoCompressorIsLeft) {
  EXPECT_EQ(run(head + rows("topk", {1, 2}, steady), {.partial = true}), exit_refused);
  EXPECT_THAT(log_.str(), testing::EndsWith(
                              "times.csv: no compressor is left: topk was measured at 2 sizes; measure on a "
                              "quieter machine or at more sizes\n"));
  EXPECT_EQ(out_.str(), "");
}

/// Rows of 1 ms a thousand values, of which restoring takes so many us.
std::string restored_rows(const std::function<double(int)>& us) {
  std::string text = "# device=made up\n" + head.substr(head.find("compressor"));
  text.insert(text.size() - 1, ",restore_us");
  for (const int n : five_sizes)
    text += fmt::format("topk,{}000,0.1,5,{},1,1,1,8,1,{}\n", n, 1000 * n, us(n));
  return text;
}

TEST_F(FitKernels, SaysHowFarStepsThatRestoreManyMessagesLie) {
  ASSERT_EQ(run(restored_rows(steady)), exit_done) << log_.str();
  EXPECT_THAT(out_.str(), HasSubstr("restore: [{ratio: 0.1, fixed: 0 s, per_million_values: 7 ms}]"));
  EXPECT_THAT(log_.str(),
              HasSubstr("median 0.0 %, worst 0.0 %; with 16 messages restored: median 0.0 %, worst 0.0 %\n"));
}

TEST_F(FitKernels, RefusesRestoringOutsideTheBandThoughStepsLieWithin) {
  const auto wildly = [](int n) { return n % 3 == 1 ? 9000.0 * n : 1; };
  EXPECT_EQ(run(restored_rows(wildly), {.quiet = true}), exit_refused);
  EXPECT_THAT(log_.str(), testing::ContainsRegex("topk of 1000 to 16000 values \\([0-9.]+ % with 16 messages "
                                                 "restored\\); measure"));
}

TEST_F(FitKernels, SaysWhereNothingWasMeasuredOnOneSideOfTheCache) {
  const std::string text = head + rows("topk", five_sizes, steady);
  ASSERT_EQ(run(text, {.cache = "1 MB"}), exit_done) << log_.str();
  EXPECT_THAT(log_.str(),
              HasSubstr("topk: no size was measured beyond the cache of 1 MB; one fit for all\n"));
  log_.str("");
  ASSERT_EQ(run(text, {.cache = "1 kB"}), exit_done) << log_.str();
  EXPECT_THAT(log_.str(),
              HasSubstr("topk: no size was measured within the cache of 1 kB; one fit for all\n"));
  log_.str("");
  ASSERT_EQ(run(head + rows("topk", {1, 2, 4, 8, 16, 32}, steady), {.cache = "16 kB"}), exit_done);
  EXPECT_THAT(log_.str(), Not(HasSubstr("one fit for all")));
}

TEST_F(FitKernels, SaysWhichSideOfTheCacheLiesOutsideTheBand) {
  const auto wild_beyond = [](int thousands) { return thousands < 10 ? steady(thousands) : wild(thousands); };
  EXPECT_EQ(run(head + rows("topk", {1, 2, 4, 10, 20, 30, 40}, wild_beyond), {.cache = "32 kB"}),
            exit_refused);
  EXPECT_THAT(log_.str(), HasSubstr(" % for topk of 10000 to 40000 values ("));
}

TEST_F(FitKernels, SaysWhereOneRatioWasMeasured) {
  std::string text = head;
  for (const int n : five_sizes) text += fmt::format("topk,{}000,0.1,5,{},1,1,1,8,1\n", n, steady(n));
  ASSERT_EQ(run(text), exit_done) << log_.str();
  EXPECT_THAT(log_.str(),
              HasSubstr("topk: measured at the ratio 0.1 only; the cost of other ratios is unknown\n"));
}

TEST_F(FitKernels, DoesNotWriteOverTheMeasurements) {
  const std::string text = head + rows("topk", five_sizes, steady);
  EXPECT_EQ(run(text, {.output = (folder_.path() / "." / "times.csv").string()}), exit_refused);
  EXPECT_EQ(log_.str(), "-o: `" + (folder_.path() / "." / "times.csv").string() +
                            "` holds the measurements; name another file\n");
  EXPECT_EQ(tests::text_of(file_), text);
}

TEST_F(FitKernels, RefusesACacheThatIsNoSizeAndFilesThatAreNone) {
  EXPECT_EQ(run(head + rows("topk", five_sizes, steady), {.cache = "30"}), exit_refused);
  EXPECT_THAT(log_.str(), HasSubstr("--cache: "));
  EXPECT_EQ(run("size,time\n1,2\n"), exit_refused);
  EXPECT_THAT(log_.str(), HasSubstr("times.csv:1:1: this is not a file of kernel times"));
}

}  // namespace
}  // namespace calibrate
