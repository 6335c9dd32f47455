// Compressors measured before a run: which cases, what a scenario makes of them, what is kept. No clock:
// times are made up.
#include "sim/measure/kernel_times.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/engine/compression_cost.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::measure {
namespace {

using namespace testing;
using calibrate::measurements::KernelTime;
using calibrate::probes::KernelCase;
using netmodels::Seconds;

const std::string head =
    "# Q\n"
    "workload: {parameters: 1000000, compute: 30 ms, batch: 32}\n"
    "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}\n"
    "training: {batch: 32, steps: 3}\n";
const std::string measured_top_k = head + "compression: {method: topk, ratio: 1 %, kernel_times: measure}\n";

/// 10 us + 1 ns a value + 5 ns a kept value; restoring 2 us + 0.1 ns a value.
KernelTime made_up_time(const KernelCase& of) {
  const auto n = static_cast<double>(of.elements);
  const Seconds step{10e-6 + n * (1e-9 + 5e-9 * of.ratio)};
  return {.compressor = std::string(of.compressor->name),
          .elements = of.elements,
          .ratio = of.ratio,
          .repetitions = 5,
          .median = step,
          .least = step,
          .p95 = step,
          .copy = Seconds{1e-9 * n},
          .wire = {8 * n * of.ratio},
          .restore = Seconds{2e-6 + 1e-10 * n}};
}

struct CountingMachine {
  int measured = 0;

  Machine machine(std::string name = "a processor \"X\"") {
    return {std::move(name), "id", inputs::MeasuredOn::cpu, [](const kernels::Entry&) { return true; },
            [this](std::span<const KernelCase> cases) {
              ++measured;
              std::vector<KernelTime> times;
              for (const KernelCase& of : cases) times.push_back(made_up_time(of));
              return times;
            }};
  }
};

std::string setting_of(const scenario::Study& study, const Machine& machine,
                       const std::filesystem::path& folder = {}) {
  const auto setting = measured_setting(study, machine, {"1.2.3", folder}, [](const std::string&) {});
  if (!setting) return setting.error().text();
  return setting->value_or("nothing");
}

std::vector<std::int64_t> sizes_of(const std::string& text) {
  CountingMachine counting;
  const auto cases = kernel_cases(scenario::study(text), counting.machine());
  std::vector<std::int64_t> sizes;
  for (const KernelCase& one : cases.value()) sizes.push_back(one.elements);
  return sizes;
}

TEST(MeasuredKernelTimes, AScenarioThatDoesNotAskIsLeftAlone) {
  CountingMachine counting;
  EXPECT_EQ(setting_of(scenario::study(head), counting.machine()), "nothing");
  EXPECT_EQ(counting.measured, 0);
}

TEST(MeasuredKernelTimes, AreOfTheBucketsOfTheGradient) {
  // One table of 1,000,000 values is one bucket; a fit needs three sizes.
  EXPECT_THAT(sizes_of(measured_top_k), ElementsAre(250000, 500000, 1000000));
}

TEST(MeasuredKernelTimes, OfManyBucketsSixSizesAreMeasuredFromTheSmallestToTheLargest) {
  const auto sizes = sizes_of(
      "# Q\nworkload: resnet50_v100_tyagi2023\n"
      "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}\n"
      "training: {batch: 32, epochs: 1, samples: 12800}\n"
      "compression: {method: topk, ratio: 1 %, kernel_times: measure}\n"
      "exchange: {execution: per_tensor}\n");
  ASSERT_EQ(sizes.size(), most_sizes);
  EXPECT_TRUE(std::ranges::is_sorted(sizes));
  EXPECT_EQ(sizes.back(), 2359296);  // the 512 x 512 x 3 x 3 kernels of its last stage
}

TEST(MeasuredKernelTimes, OfAWarmUpThatBeginsDenseAreMeasuredOnItsWayToTheStatedRatio) {
  CountingMachine counting;
  const auto cases = kernel_cases(
      scenario::study(
          "# Q\nworkload: {parameters: 1000000, compute: 30 ms, batch: 32}\n"
          "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}\n"
          "training: {batch: 32, epochs: 8, samples: 12800}\n"
          "compression: {method: topk, ratio: 2 %, warm_up: {epochs: 4}, kernel_times: measure}\n"),
      counting.machine());
  ASSERT_TRUE(cases) << cases.error().text();
  std::set<double> ratios;
  for (const KernelCase& one : *cases) ratios.insert(one.ratio);
  EXPECT_THAT(ratios, ElementsAre(0.02, 0.1, 1));
}

TEST(MeasuredKernelTimes, AreWhatTheRunTakes) {
  CountingMachine counting;
  const tests::ScratchFolder scratch;
  const std::string setting = setting_of(scenario::study(measured_top_k), counting.machine());
  const auto reading = scenario::read(scratch, measured_top_k, {setting});
  ASSERT_TRUE(reading) << reading.error().text();
  const scenario::Scenario& arm = reading->study.arms.front();
  EXPECT_EQ(arm.exchange.compression.kernels.device, "a processor \"X\"");
  const engine::CompressionCosts costs(arm.exchange.compression, arm.work.workload, arm.work.device);
  const auto cost = costs.compressing({"topk", 0.01}, 1000000);
  EXPECT_EQ(cost.level, scenario::CostLevel::kernels);
  EXPECT_NEAR(cost.assumed.count, 10e-6 + 1e-3 + 5e-5, 1e-8);
}

TEST(MeasuredKernelTimes, OfAProcessorCarryAWarning) {
  CountingMachine counting;
  const tests::ScratchFolder scratch;
  const auto reading = scenario::read(scratch, measured_top_k,
                                      {setting_of(scenario::study(measured_top_k), counting.machine())});
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_THAT(
      reading->study.warnings,
      Contains(HasSubstr("compression times are measured on a processor, a processor \"X\", and are used for "
                         "the workload's device, not stated; a GPU's times differ")));
  Machine gpu = counting.machine();
  gpu.on = inputs::MeasuredOn::gpu;
  const auto on_gpu =
      scenario::read(scratch, measured_top_k, {setting_of(scenario::study(measured_top_k), gpu)});
  ASSERT_TRUE(on_gpu) << on_gpu.error().text();
  EXPECT_THAT(on_gpu->study.warnings, Not(Contains(HasSubstr("measured on a processor"))));
}

TEST(MeasuredKernelTimes, AreReadAgainFromTheResolvedScenario) {
  CountingMachine counting;
  const tests::ScratchFolder scratch;
  const auto first = scenario::read(scratch, measured_top_k,
                                    {setting_of(scenario::study(measured_top_k), counting.machine())});
  ASSERT_TRUE(first) << first.error().text();
  const auto again = scenario::read(scratch, print_study(*first));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->study.arms.front().exchange.compression.kernels,
            first->study.arms.front().exchange.compression.kernels);
  EXPECT_EQ(setting_of(again->study, counting.machine()), "nothing");
  EXPECT_EQ(counting.measured, 1);
}

TEST(MeasuredKernelTimes, ThatWereChangedByHandAreRefused) {
  CountingMachine counting;
  std::string setting = setting_of(scenario::study(measured_top_k), counting.machine());
  setting.replace(setting.find("smallest: 250000"), 16, "smallest: 250001");
  EXPECT_THAT(
      scenario::refusal(measured_top_k, {setting}),
      AllOf(HasSubstr("`compression.measured.hash`: the times have the hash "),
            HasSubstr("they were changed after they were measured; leave out `compression.measured` to "
                      "measure again, or write the times into a file of `kernel_times`")));
}

TEST(MeasuredKernelTimes, AreOfNoEffectWithoutTheWordMeasure) {
  CountingMachine counting;
  const tests::ScratchFolder scratch;
  const std::string setting = setting_of(scenario::study(measured_top_k), counting.machine());
  const auto reading = scenario::read(scratch, head + "compression: {method: topk, ratio: 1 %}\n", {setting});
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_TRUE(reading->study.arms.front().exchange.compression.kernels.rows.empty());
  EXPECT_THAT(
      reading->study.warnings,
      Contains(EndsWith("`compression.measured` has no effect here: only `kernel_times: measure` uses it")));
}

TEST(MeasuredKernelTimes, OfOneArmLeaveTheFileOfAnotherAlone) {
  const std::string text = head +
                           "compression: {method: topk, ratio: 1 %}\n"
                           "compare:\n"
                           "  here: {compression: {kernel_times: measure}}\n"
                           "  there: {compression: {kernel_times: kernel_times/epyc_thread.yaml}}\n";
  CountingMachine counting;
  const tests::ScratchFolder scratch;
  const auto reading = scenario::read(scratch, text, {setting_of(scenario::study(text), counting.machine())});
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_EQ(reading->study.arms[0].exchange.compression.kernels.device, "a processor \"X\"");
  EXPECT_NE(reading->study.arms[1].exchange.compression.kernels.device, "a processor \"X\"");
}

TEST(MeasuredKernelTimes, WhoDoesNotMeasureSaysSo) {
  EXPECT_THAT(scenario::study(measured_top_k).warnings,
              Contains(HasSubstr("`compression.kernel_times`: `sim run` and `sim explain` measure; here, "
                                 "compression takes the next known time")));
}

TEST(MeasuredKernelTimes, AreKeptByMachineAndVersionAndCases) {
  CountingMachine counting;
  const tests::ScratchFolder scratch;
  const scenario::Study study = scenario::study(measured_top_k);
  const std::string setting = setting_of(study, counting.machine(), scratch / "kept");
  EXPECT_EQ(setting_of(study, counting.machine(), scratch / "kept"), setting);
  EXPECT_EQ(counting.measured, 1);
  setting_of(study, counting.machine("another"), scratch / "kept");
  EXPECT_EQ(counting.measured, 2);
  setting_of(scenario::study(head + "compression: {method: topk, ratio: 2 %, kernel_times: measure}\n"),
             counting.machine(), scratch / "kept");
  EXPECT_EQ(counting.measured, 3);
  const auto other_version =
      measured_setting(study, counting.machine(), {"1.2.4", scratch / "kept"}, [](const std::string&) {});
  EXPECT_TRUE(other_version);
  EXPECT_EQ(counting.measured, 4);
  EXPECT_EQ(scratch.files().size(), 5U);  // and their folder
}

TEST(MeasuredKernelTimes, ThatAreDamagedAreMeasuredAgain) {
  CountingMachine counting;
  const tests::ScratchFolder scratch;
  const scenario::Study study = scenario::study(measured_top_k);
  const std::string setting = setting_of(study, counting.machine(), scratch.path());
  scratch.write(scratch.files().front(), "{device: x, on: cpu, ha");
  EXPECT_EQ(setting_of(study, counting.machine(), scratch.path()), setting);
  EXPECT_EQ(counting.measured, 2);
}

TEST(MeasuredKernelTimes, ThatCannotBeKeptAreUsedAllTheSame) {
  CountingMachine counting;
  const tests::ScratchFolder scratch;
  scratch.write("file", "x");
  std::vector<std::string> said;
  const auto setting =
      measured_setting(scenario::study(measured_top_k), counting.machine(), {"1", scratch / "file" / "kept"},
                       [&](std::string line) { said.push_back(std::move(line)); });
  ASSERT_TRUE(setting);
  EXPECT_TRUE(setting->has_value());
  EXPECT_THAT(said, ElementsAre("measuring 3 cases of compression on a processor \"X\"",
                                HasSubstr("measured times are not kept: ")));
}

TEST(MeasuredKernelTimes, AFailureNamesTheMachine) {
  CountingMachine counting;
  Machine broken = counting.machine("a device");
  broken.time = [](std::span<const KernelCase>) -> std::vector<KernelTime> {
    throw std::runtime_error("lost");
  };
  EXPECT_EQ(
      setting_of(scenario::study(measured_top_k), broken),
      "compression.kernel_times: measuring on a device failed: lost; state `compression.time`, or name a "
      "file of `kernel_times`");
  broken.has = [](const kernels::Entry&) { return false; };
  EXPECT_THAT(setting_of(scenario::study(measured_top_k), broken),
              StartsWith("compression.kernel_times: `topk` has no implementation on a device; "));
}

TEST(MeasuredKernelTimes, APolicyThatChoosesTheMethodIsRefused) {
  CountingMachine counting;
  scenario::Study study = scenario::study(measured_top_k);
  study.arms.front().exchange.compression.policy.select(*std::ranges::find_if(
      policies::compressions(), [](const auto& row) { return row.traits.chooses_method(); }));
  EXPECT_THAT(setting_of(study, counting.machine()),
              HasSubstr("`measure` measures the method that the scenario names, and `"));
}

}  // namespace
}  // namespace sim::measure
