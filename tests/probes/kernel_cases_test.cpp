// The cases, their synthetic gradients, and the settings of their compressors.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "calibrate/probes/kernel_times.hpp"

namespace calibrate::probes {
namespace {

TEST(KernelCases, OfACompressorWithoutARatioStandOncePerSize) {
  const std::array compressors{kernels::find("topk"), kernels::find("qsgd")};
  constexpr std::array<std::int64_t, 2> elements{100, 200};
  constexpr std::array ratios{0.1, 0.01, 0.001};
  const auto cases = kernel_cases(compressors, elements, ratios);
  ASSERT_EQ(cases.size(), 2U * 3 + 2);
  EXPECT_EQ(cases[2].ratio, 0.001);
  EXPECT_EQ(cases[6].compressor->name, "qsgd");
  EXPECT_EQ(cases[6].ratio, 1);
}

TEST(MadeUpGradients, AreTheSameEveryTimeAndHoldNoZeros) {
  for (const auto values : {GradientValues::bell_shaped, GradientValues::heavy_tailed}) {
    const std::vector<float> gradient = made_up_gradient(10000, values);
    EXPECT_EQ(gradient, made_up_gradient(10000, values)) << to_string(values);
    EXPECT_EQ(std::ranges::count(gradient, 0.0F), 0) << to_string(values);
  }
}

TEST(SettingsOfACase, HoldTheMagnitudeThatTheWantedShareReaches) {
  constexpr std::array gradient{1.0F, -5.0F, 3.0F, -4.0F, 2.0F};
  const kernels::Settings settings = settings_of({kernels::find("threshold"), 5, 0.4}, gradient);
  EXPECT_EQ(settings.ratio, 0.4);
  EXPECT_EQ(settings.threshold, 4);
}

}  // namespace
}  // namespace calibrate::probes
