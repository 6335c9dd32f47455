// Samples of steps and copies: when there are enough, what is made of them, and the check of the first step.
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "calibrate/probes/kernel_times.hpp"

namespace calibrate::probes {
namespace {

using netmodels::Seconds;

TEST(KernelSamples, AreEnoughAfterTheTimeButNotBeforeTheLeastNorBeyondTheMost) {
  const KernelEffort effort{.least_repetitions = 2, .most_repetitions = 4, .time = {10}};
  KernelSamples quick, slow;
  slow.add(Seconds{20}, Seconds{5}, Seconds{1});
  EXPECT_FALSE(slow.enough(effort));
  slow.add(Seconds{20}, Seconds{5}, Seconds{1});
  EXPECT_TRUE(slow.enough(effort));
  for (int i = 0; i < 3; ++i) quick.add(Seconds{1}, Seconds{1}, Seconds{1});
  EXPECT_FALSE(quick.enough(effort));
  quick.add(Seconds{1}, Seconds{1}, Seconds{1});
  EXPECT_TRUE(quick.enough(effort));
}

TEST(KernelSamples, RestoringTakesNoneOfTheTime) {  // it is a part of the step, or measured besides
  const KernelEffort effort{.least_repetitions = 1, .most_repetitions = 4, .time = {10}};
  KernelSamples samples;
  for (int i = 0; i < 2; ++i) samples.add(Seconds{3}, Seconds{3}, Seconds{1});
  EXPECT_FALSE(samples.enough(effort));
}

TEST(KernelSamples, BecomeMediansLeastAndP95) {
  const KernelCase of{kernels::find("topk"), 100, 0.1};
  KernelSamples samples;
  for (int i = 1; i <= 21; ++i) samples.add(Seconds{1.0 * i}, Seconds{0.25 * i}, Seconds{0.5 * i});
  const measurements::KernelTime time = summarise(of, samples, netmodels::Bytes{80});
  EXPECT_EQ(time, (measurements::KernelTime{.compressor = "topk",
                                            .elements = 100,
                                            .ratio = 0.1,
                                            .repetitions = 21,
                                            .median = {11},
                                            .least = {1},
                                            .p95 = {20},
                                            .copy = {5.5},
                                            .wire = {80},
                                            .restore = Seconds{2.75}}));
}

TEST(FirstStep, LosesNothingWhereSentAndKeptAddUpToTheGradient) {
  const KernelCase of{kernels::find("topk"), 3, 0.3};
  constexpr std::array gradient{1.0F, -2.0F, 3.0F}, sum{0.0F, 0.0F, 3.0F};
  constexpr std::array kept{1.0F, -2.0F, 0.0F}, lost{1.0F, 0.0F, 0.0F};
  EXPECT_NO_THROW(check_nothing_lost(of, gradient, sum, kept));
  try {
    check_nothing_lost(of, gradient, sum, lost);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "topk lost value 1 of 3: it was neither sent nor kept");
  }
}

measurements::KernelTime fail_at_two(const KernelCase& of, std::span<const float>) {
  if (of.elements == 2) throw std::runtime_error("device lost");
  measurements::KernelTime time;
  time.elements = of.elements;
  return time;
}

constexpr std::array sizes{std::int64_t{1}, std::int64_t{2}, std::int64_t{3}};

std::vector<KernelCase> three_cases() {
  std::vector<KernelCase> cases;
  for (const std::int64_t n : sizes) cases.push_back({kernels::find("topk"), n, 1});
  return cases;
}

TEST(MeasuringEach, GoesOnAfterACaseThatFailsAndNamesIt) {
  std::vector<std::string> events;
  KernelEffort effort;
  effort.measured = [&](const auto& time) { events.push_back("measured " + std::to_string(time.elements)); };
  effort.failed = [&](const KernelCase& of, std::string_view why) {
    events.push_back("failed " + std::to_string(of.elements) + ": " + std::string(why));
  };
  const auto times = measure_each(three_cases(), effort, {}, fail_at_two);
  EXPECT_EQ(events, (std::vector<std::string>{"measured 1", "failed 2: device lost", "measured 3"}));
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[1].elements, 3);
}

TEST(MeasuringEach, EndsAtAFailureThatNobodyTakes) {
  int measured = 0;
  KernelEffort effort;
  effort.measured = [&](const auto&) { ++measured; };
  EXPECT_THROW(measure_each(three_cases(), effort, {}, fail_at_two), std::runtime_error);
  EXPECT_EQ(measured, 1);
}

}  // namespace
}  // namespace calibrate::probes
