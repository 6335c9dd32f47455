// Times of compressors: that each is measured and whole.
#include "calibrate/probes/kernel_times.hpp"

#include <array>
#include <atomic>

#include <gtest/gtest.h>

#include "tests/probes/whole_time.hpp"

namespace calibrate::probes {
namespace {

TEST(KernelTimes, OfEveryCompressorAreMeasured) {
  std::vector<const kernels::Entry*> all;
  for (const kernels::Entry& row : kernels::catalogue()) all.push_back(&row);
  constexpr std::array<std::int64_t, 1> elements{5000};
  constexpr std::array ratios{0.01};
  const auto cases = kernel_cases(all, elements, ratios);
  const KernelEffort effort{.least_repetitions = 3, .most_repetitions = 3, .time = {}};
  int said = 0;
  const auto times = measure_kernels(cases, effort, [&](const KernelCase&) { ++said; });
  ASSERT_EQ(times.size(), cases.size());
  EXPECT_EQ(said, static_cast<int>(cases.size()));
  for (const measurements::KernelTime& time : times) {
    expect_whole(time, 3);
    ASSERT_TRUE(time.restore);
    EXPECT_LT(*time.restore, time.median) << time.compressor;  // it is a part of each step
  }
}

TEST(KernelTimes, ToldToStopNoFurtherCaseIsBegun) {
  const std::array compressors{kernels::find("topk"), kernels::find("qsgd"), kernels::find("int8")};
  constexpr std::array<std::int64_t, 1> elements{100};
  constexpr std::array ratios{0.1};
  std::atomic<bool> stop = false;
  const KernelEffort effort{.least_repetitions = 1, .most_repetitions = 1, .time = {}, .stop = &stop};
  const auto times = measure_kernels(kernel_cases(compressors, elements, ratios), effort,
                                     [&](const KernelCase& next) { stop = next.compressor->name == "qsgd"; });
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[1].compressor, "qsgd");
}

TEST(KernelTimes, TheThresholdLetsAsManyPassAsTheRatioSays) {
  const std::array compressors{kernels::find("threshold")};
  constexpr std::array<std::int64_t, 1> elements{10000};
  constexpr std::array ratios{0.01};
  const KernelEffort effort{
      .values = GradientValues::heavy_tailed, .least_repetitions = 1, .most_repetitions = 1, .time = {}};
  const auto times = measure_kernels(kernel_cases(compressors, elements, ratios), effort, {});
  EXPECT_GE(times.front().wire.count, 8 * 100);  // of the last step, to which residuals were added
  EXPECT_LE(times.front().wire.count, 8 * 10000);
}

}  // namespace
}  // namespace calibrate::probes
