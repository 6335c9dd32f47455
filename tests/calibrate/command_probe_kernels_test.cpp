// `calibrate probe kernels`: its output and its errors.
#include <atomic>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/measurements/kernel_time.hpp"
#include "tests/scratch_folder.hpp"

namespace calibrate {
namespace {

using testing::HasSubstr;

class ProbeKernels : public testing::Test {
 protected:
  int run(const ProbeKernelsOptions& options) { return run_probe_kernels(options, out_, log_); }

  std::ostringstream out_, log_;
};

ProbeKernelsOptions short_one(const std::string& device) {
  ProbeKernelsOptions options;
  options.device = device;
  options.compressors = {"topk"};
  options.elements = {1000};
  options.ratios = {0.1};
  options.seconds = 1e-3;
  options.quiet = true;
  return options;
}

TEST_F(ProbeKernels, WritesWhatCanBeReadAgain) {
  ASSERT_EQ(run(short_one("cpu")), exit_done) << log_.str();
  EXPECT_EQ(log_.str(), "");
  const auto read = measurements::parse_kernel_times(out_.str(), "times.csv");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_THAT(read->device, HasSubstr(", one thread"));
  ASSERT_EQ(read->times.size(), 1U);
  EXPECT_EQ(read->times[0].wire.count, 800);
}

TEST_F(ProbeKernels, WritesEveryRepetitionWhereAsked) {
  const tests::ScratchFolder folder;
  ProbeKernelsOptions options = short_one("cpu");
  options.samples = (folder / "samples.csv").string();
  ASSERT_EQ(run(options), exit_done) << log_.str();
  const auto read = measurements::parse_kernel_times(out_.str(), "times.csv");
  ASSERT_TRUE(read) << read.error().text();
  const std::string text = tests::text_of(options.samples);
  EXPECT_EQ(text.rfind("# device=" + read->device + "\n# ", 0), 0U);
  EXPECT_THAT(
      text, HasSubstr("\ncompressor,elements,ratio,repetition,time_us,copy_us,restore_us\ntopk,1000,0.1,0,"));
  const std::string last = fmt::format("\ntopk,1000,0.1,{},", read->times[0].repetitions - 1);
  const auto found = text.find(last);
  ASSERT_NE(found, std::string::npos);
  EXPECT_EQ(text.find('\n', found + 1), text.size() - 1);
}

TEST_F(ProbeKernels, RefusesSamplesThatHaveNoFileOfTheirOwn) {
  ProbeKernelsOptions options = short_one("cpu");
  options.samples = "-";
  EXPECT_EQ(run(options), exit_refused);
  EXPECT_EQ(log_.str(), "--samples: repetitions are not printed; name a file for them\n");
  log_.str("");
  options.output = "times.csv";
  options.samples = "./times.csv";
  EXPECT_EQ(run(options), exit_refused);
  EXPECT_EQ(log_.str(), "--samples: `./times.csv` is the output file of the times; name another file\n");
  log_.str("");
  options.samples = "/nowhere/at/all/samples.csv";
  EXPECT_EQ(run(options), exit_refused);
  EXPECT_EQ(log_.str(), "--samples: no such folder: `/nowhere/at/all`; create it first\n");
  EXPECT_EQ(out_.str(), "");
}

TEST_F(ProbeKernels, WhatIsNamedTwiceIsMeasuredOnce) {
  ProbeKernelsOptions options = short_one("cpu");
  options.compressors = {"topk", "topk"};
  options.elements = {2000, 1000, 2000};
  options.ratios = {0.1, 0.1};
  ASSERT_EQ(run(options), exit_done) << log_.str();
  const auto read = measurements::parse_kernel_times(out_.str(), "times.csv");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->times.size(), 2U);
  EXPECT_EQ(read->times[0].elements, 1000);
}

/// Raises the flag when the first case of the probe is reported.
class StopAtFirstWord : public std::stringbuf {
 public:
  explicit StopAtFirstWord(std::atomic<bool>& stop) : stop_(stop) {}

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    stop_ = true;
    return std::stringbuf::xsputn(text, size);
  }

 private:
  std::atomic<bool>& stop_;
};

TEST_F(ProbeKernels, StoppedWritesWhatItHasMeasuredAndSaysSo) {
  std::atomic<bool> stop = false;
  StopAtFirstWord buffer(stop);
  std::ostream log(&buffer);
  ProbeKernelsOptions options = short_one("cpu");
  options.elements = {1000, 2000, 3000};
  options.quiet = false;
  options.stop = &stop;
  ASSERT_EQ(run_probe_kernels(options, out_, log), exit_done);
  const auto read = measurements::parse_kernel_times(out_.str(), "times.csv");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->times.size(), 1U);
  EXPECT_EQ(read->times[0].elements, 1000);
  EXPECT_EQ(read->notes.back(), "stopped after 1 of 3 cases");
  EXPECT_THAT(buffer.str(), HasSubstr("\nstopped after 1 of 3 cases\n"));
}

TEST_F(ProbeKernels, StoppedBeforeTheFirstCaseWritesNothing) {
  const std::atomic<bool> stop = true;
  ProbeKernelsOptions options = short_one("cpu");
  options.stop = &stop;
  const tests::ScratchFolder folder;
  options.samples = (folder / "samples.csv").string();
  EXPECT_EQ(run(options), exit_done);
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(log_.str(), "stopped after 0 of 1 cases\n");
  EXPECT_TRUE(folder.files().empty());
}

TEST_F(ProbeKernels, LooksAtTheFolderBeforeItMeasures) {
  ProbeKernelsOptions options = short_one("cpu");
  options.output = "/nowhere/at/all/times.csv";
  options.quiet = false;
  EXPECT_EQ(run(options), exit_refused);
  EXPECT_EQ(log_.str(), "-o: no such folder: `/nowhere/at/all`; create it first\n");
}

TEST_F(ProbeKernels, OnCudaMeasuresTheSameOrSaysWhyItCannot) {
  const int exit_code = run(short_one("cuda"));
  if (exit_code == exit_done) {
    const auto read = measurements::parse_kernel_times(out_.str(), "times.csv");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_THAT(read->notes[0], HasSubstr(read->device + ", compute capability "));
    EXPECT_EQ(read->times[0].wire.count, 800);
    return;
  }
  EXPECT_EQ(exit_code, exit_broken);
  EXPECT_EQ(out_.str(), "");
#if GRADSIM_HAS_CUDA
  EXPECT_EQ(
      log_.str(),
      "--device cuda: no usable CUDA device found; run it on a node with a GPU and its driver, or leave "
      "--device out\n");
#else
  EXPECT_EQ(
      log_.str(),
      "--device cuda: this program was built without CUDA; build it where nvcc 12 or newer is installed, "
      "or leave --device out\n");
#endif
}

TEST_F(ProbeKernels, RefusesUnknownCompressorsSizesAndRatios) {
  ProbeKernelsOptions options = short_one("cpu");
  options.compressors = {"topl"};
  EXPECT_EQ(run(options), exit_refused);
  EXPECT_THAT(log_.str(), HasSubstr("--compressors: unknown compressor `topl`; did you mean `topk`?"));
  options = short_one("cpu");
  options.elements = {0};
  EXPECT_EQ(run(options), exit_refused);
  EXPECT_THAT(log_.str(), HasSubstr("--elements: a gradient of 0 values; accepted: 1 to 1000000000"));
  options = short_one("cpu");
  options.ratios = {1.5};
  EXPECT_EQ(run(options), exit_refused);
  EXPECT_THAT(log_.str(), HasSubstr("--ratios: the ratio 1.5; accepted: above 0, at most 1"));
}

}  // namespace
}  // namespace calibrate
