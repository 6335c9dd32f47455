// Defaults that were measured on the workload's device: which file is taken, what is said, what a resolved
// scenario states.
#include "sim/scenario/measured_defaults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "netmodels/traced_step.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using namespace testing;

/// Compression times of top-k in PyTorch.
std::string times_on(const std::string& device, const std::string& keys, int tensor_us) {
  return "device: " + device + "\nstack: PyTorch\n" + keys +
         "kernels:\n  - {method: topk, per_tensor: " + std::to_string(tensor_us) +
         " us, smallest: 1, largest: 1000000, source: s}\n";
}

std::string device_called(const std::string& name, const std::string& keys) {
  return "name: " + name +
         "\nprovenance: made up\nprecision: fp32\npeak: 10 TFLOP/s\nmemory_bandwidth: 100 GB/s\n" + keys;
}

std::string workload_on(const std::string& device) {
  return "{parameters: 1000000, compute: 30 ms, batch: 32, device: " + device + "}";
}

std::string scenario_on(const std::string& workload, const std::string& more) {
  return "# Q\nworkload: " + workload +
         "\ncluster: {workers: 4, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}\n"
         "training: {batch: 32, steps: 3}\n" +
         more;
}

std::vector<std::string> methods_of_arm(const Study& study, std::size_t arm) {
  const Scenario& read = study.arms.at(arm);
  return methods_from_stack(read.exchange.compression, read.work.parallelism);
}

const std::string compressed = "compression: {method: topk, ratio: 1 %}\n";

/// A data folder of its own with the usual stack, a device with an alias, and a measurement of it.
class MeasuredDefaults : public Test {
 protected:
  MeasuredDefaults() {
    folder_.write("data/kernel_times/pytorch.yaml", times_on("V100", "memory_bandwidth: 900 GB/s\n", 100));
    folder_.write("data/kernel_times/pytorch_gpu_7.yaml", times_on("GPU 7", "measured: true\n", 7));
    folder_.write("data/devices/gpu_7_datasheet.yaml",
                  device_called("gpu_7_datasheet", "aliases: [GPU 7, Seven-80GB]\n"));
  }

  netmodels::Result<Reading> read_here(const std::string& text) {
    return read_study(folder_.write("s.yaml", text), {}, folder_.path() / "data", some_metrics);
  }

  Reading reading(const std::string& text) {
    auto found = read_here(text);
    EXPECT_TRUE(found) << (found ? "" : found.error().text());
    return found ? std::move(*found) : Reading{};
  }

  Compression compression_on(const std::string& device, const std::string& more = compressed) {
    return reading(scenario_on(workload_on(device), more)).study.arms.at(0).exchange.compression;
  }

  tests::ScratchFolder folder_;
};

TEST_F(MeasuredDefaults, ADeviceThatWasMeasuredTakesItsOwnTimesByNameOrAlias) {
  for (const char* name : {"GPU 7", "gpu-7", "seven 80gb", "gpu_7_datasheet"}) {
    const Compression compression = compression_on(name);
    EXPECT_EQ(compression.stack, "pytorch_gpu_7") << name;
    EXPECT_EQ(compression.framework.device, "GPU 7");
    EXPECT_EQ(compression.stack_origin, "measured on GPU 7");
    EXPECT_TRUE(compression.measured_on_device);
  }
}

TEST_F(MeasuredDefaults, AnotherDeviceOrAStatedStackTakesThePublishedTimes) {
  for (const Compression& compression :
       {compression_on("GPU 8"), compression_on("not stated"),
        compression_on("GPU 7", "compression: {method: topk, ratio: 1 %, stack: pytorch}\n")}) {
    EXPECT_EQ(compression.stack, "pytorch");
    EXPECT_EQ(compression.framework.device, "V100");
    EXPECT_EQ(compression.stack_origin, "");
    EXPECT_FALSE(compression.measured_on_device);
  }
}

TEST_F(MeasuredDefaults, AStatedMeasurementOfAnotherDeviceIsNotOfThisOne) {
  const std::string stated = "compression: {method: topk, ratio: 1 %, stack: pytorch_gpu_7}\n";
  EXPECT_FALSE(compression_on("GPU 8", stated).measured_on_device);
  EXPECT_TRUE(compression_on("GPU 7", stated).measured_on_device);
  EXPECT_EQ(compression_on("GPU 7", stated).stack_origin, "");
}

TEST_F(MeasuredDefaults, OfSeveralFilesThatOfTheSameNameIsTakenAndAllAreNamed) {
  folder_.write("data/kernel_times/a_first.yaml", times_on("Seven-80GB", "measured: true\n", 8));
  const Reading found = reading(scenario_on(workload_on("GPU 7"), compressed));
  EXPECT_EQ(found.study.arms.at(0).exchange.compression.stack, "pytorch_gpu_7");
  EXPECT_THAT(found.study.warnings,
              Contains(HasSubstr("s.yaml:2:11: `workload`: compression times of several files were measured "
                                 "on this device: `pytorch_gpu_7`, `a_first`; `pytorch_gpu_7` is taken; "
                                 "`compression.stack` states another")));
  EXPECT_EQ(compression_on("Seven-80GB").stack, "a_first");
}

const std::string quantized = "compression: {method: int8}\n";

/// The usual stack with a published time of int8, too, which was not measured on GPU 7.
std::string published_with_int8() {
  return times_on("V100", "memory_bandwidth: 900 GB/s\n", 100) +
         "  - {method: int8, per_tensor: 50 us, smallest: 1, largest: 1000000, source: s}\n";
}

TEST_F(MeasuredDefaults, AMethodThatWasNotMeasuredTakesItsPublishedTimeAndSaysSo) {
  folder_.write("data/kernel_times/pytorch.yaml", published_with_int8());
  const Reading found = reading(scenario_on(workload_on("GPU 7"), quantized));
  const Compression& compression = found.study.arms.at(0).exchange.compression;
  EXPECT_EQ(compression.stack, "pytorch");
  EXPECT_EQ(compression.framework.device, "V100");
  EXPECT_FALSE(compression.measured_on_device);
  const std::string why = "published; `pytorch_gpu_7`, measured on GPU 7, has no time of `int8`";
  EXPECT_EQ(compression.stack_origin, why);
  EXPECT_THAT(found.study.warnings, Contains(HasSubstr("s.yaml:5:14: `compression.stack: pytorch`: " + why)));
  const std::string text = print_study(found);
  EXPECT_THAT(text, HasSubstr("# default `compression.stack: pytorch`: " + why + "\n"));
  EXPECT_THAT(text, HasSubstr("\n  stack: pytorch "));
  EXPECT_EQ(compression_on("GPU 7").stack, "pytorch_gpu_7");  // top-k was measured
}

TEST_F(MeasuredDefaults, AMethodThatIsNeitherMeasuredNorPublishedKeepsTheMeasuredStack) {
  EXPECT_EQ(compression_on("GPU 7", quantized).stack, "pytorch_gpu_7");
}

TEST_F(MeasuredDefaults, OfSeveralFilesTheFirstThatHasTheMethodIsTaken) {
  folder_.write(
      "data/kernel_times/pytorch_gpu_7_more.yaml",
      "device: GPU 7\nstack: PyTorch\nmeasured: true\nkernels:\n  - {method: int8, per_tensor: 5 us, "
      "smallest: 1, largest: 1000000, source: s}\n");
  EXPECT_EQ(compression_on("GPU 7").stack, "pytorch_gpu_7");
  EXPECT_EQ(compression_on("GPU 7", quantized).stack, "pytorch_gpu_7_more");
}

TEST_F(MeasuredDefaults, ArmsThatCompressNothingTakeNoTimesFromAStack) {
  folder_.write("data/kernel_times/pytorch.yaml", published_with_int8());
  const std::string arms =
      "compare:\n  dense: {}\n  coded: {" + quantized.substr(0, quantized.size() - 1) + "}\n";
  const Reading found = reading(scenario_on(workload_on("GPU 7"), arms));
  EXPECT_EQ(methods_of_arm(found.study, 0), std::vector<std::string>{});
  EXPECT_EQ(methods_of_arm(found.study, 1), std::vector<std::string>{"int8"});
  EXPECT_THAT(print_study(found), Not(HasSubstr("pytorch_gpu_7`: measured")));
}

TEST_F(MeasuredDefaults, TheResolvedScenarioStatesWhatWasTakenAndWhy) {
  const Reading found = reading(scenario_on(workload_on("GPU 7"), compressed));
  const std::string text = print_study(found);
  EXPECT_THAT(text, HasSubstr("# default `compression.stack: pytorch_gpu_7`: measured on GPU 7\n"));
  EXPECT_THAT(text, ContainsRegex("\n  stack: pytorch_gpu_7 +# measured on GPU 7\n"));
  const Reading again = reading(text);
  EXPECT_EQ(again.study.arms.at(0).exchange.compression.stack, "pytorch_gpu_7");
  EXPECT_TRUE(again.study.arms.at(0).exchange.compression.measured_on_device);
}

TEST_F(MeasuredDefaults, ArmsOnSeveralDevicesLeaveTheKeyOut) {
  const std::string arms =
      compressed + "compare:\n  seven: {}\n  eight: {workload: " + workload_on("GPU 8") + "}\n";
  const Reading found = reading(scenario_on(workload_on("GPU 7"), arms));
  EXPECT_EQ(found.study.arms.at(0).exchange.compression.stack, "pytorch_gpu_7");
  EXPECT_EQ(found.study.arms.at(1).exchange.compression.stack, "pytorch");
  const std::string text = print_study(found);
  EXPECT_THAT(text, Not(HasSubstr("\n  stack:")));
  EXPECT_THAT(text, HasSubstr("# default `compression.stack: pytorch_gpu_7`: measured on GPU 7\n"));
  EXPECT_EQ(reading(text).study.arms.at(1).exchange.compression.stack, "pytorch");
}

TEST_F(MeasuredDefaults, AFileThatCannotBeReadIsRefused) {
  folder_.write("data/kernel_times/broken.yaml", times_on("GPU 7", "measured: maybe\n", 8));
  const auto found = read_here(scenario_on(workload_on("GPU 7"), compressed));
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text(), HasSubstr("broken.yaml:3:11: "));
}

TEST_F(MeasuredDefaults, MeasuredTimesNeedTheirStack) {
  folder_.write(
      "data/kernel_times/own.yaml",
      "device: GPU 7\nmeasured: true\nkernels:\n  - {method: topk, fixed: 1 us, smallest: 1, largest: 2, "
      "median_error: 0, p90_error: 0, worst_error: 0}\n");
  const auto found = read_here(scenario_on(workload_on("GPU 7"), compressed));
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text(),
              HasSubstr("own.yaml:2:11: `measured` needs the `stack` that was measured; "
                        "write for example `stack: PyTorch`"));
}

/// A device whose computing takes 12 % longer while a collective runs.
class MeasuredOverlap : public MeasuredDefaults {
 protected:
  MeasuredOverlap() {
    folder_.write("data/devices/gpu_9.yaml",
                  device_called("gpu_9", "overlap_slowdown: {share: 12 %, source: beside 4 channels}\n"));
  }

  Exchange exchange_on(const std::string& device, const std::string& more) {
    return reading(scenario_on(workload_on(device), more)).study.arms.at(0).exchange;
  }
};

TEST_F(MeasuredOverlap, IsTheDefaultOfExchangesDuringTheBackwardPass) {
  for (const char* more : {"", "exchange: {overlap: true}\n", "compression: {method: fp16}\n"}) {
    const Exchange exchange = exchange_on("GPU 9", more);
    EXPECT_EQ(exchange.overlap_slowdown, 0.12) << more;
    EXPECT_EQ(exchange.overlap_slowdown_origin, "measured on gpu_9 (beside 4 channels)");
  }
}

TEST_F(MeasuredOverlap, IsFoundByTheAliasesOfTheDatasheetOfTheSameDevice) {
  folder_.write("data/devices/seven_80gb.yaml",  // as an import names it
                device_called("seven_80gb", "overlap_slowdown: {share: 7 %, source: beside 2 channels}\n"));
  for (const char* name : {"GPU 7", "Seven-80GB", "gpu_7_datasheet"}) {
    const Exchange exchange = exchange_on(name, "");
    EXPECT_EQ(exchange.overlap_slowdown, 0.07) << name;
    EXPECT_EQ(exchange.overlap_slowdown_origin, "measured on seven_80gb (beside 2 channels)");
  }
  EXPECT_EQ(exchange_on("GPU 8", "").overlap_slowdown, 0);
  EXPECT_EQ(exchange_on("GPU 9", "").overlap_slowdown, 0.12);  // the device's own file comes first
}

TEST_F(MeasuredOverlap, IsNotTakenWhereAShareIsStatedNothingOverlapsOrNothingWasMeasured) {
  for (const char* more : {"exchange: {overlap_slowdown: 0}\n", "exchange: {overlap: false}\n",
                           "synchronisation: {method: periodic, every: 4}\n", "synchronisation: asp\n"}) {
    const Exchange exchange = exchange_on("GPU 9", more);
    EXPECT_EQ(exchange.overlap_slowdown, 0) << more;
    EXPECT_EQ(exchange.overlap_slowdown_origin, "") << more;
  }
  EXPECT_EQ(exchange_on("GPU 7", "").overlap_slowdown, 0);
  EXPECT_EQ(exchange_on("GPU 9", "exchange: {overlap_slowdown: 5 %}\n").overlap_slowdown, 0.05);
}

TEST_F(MeasuredOverlap, IsInTracedStepsAlready) {
  Scenario scenario = reading(scenario_on(workload_on("GPU 9"), "")).study.arms.at(0);
  EXPECT_EQ(default_overlap_slowdown(scenario.work, scenario.cluster, scenario.exchange).share, 0.12);
  scenario.work.workload.traced = std::make_shared<netmodels::TracedStep>();
  EXPECT_EQ(default_overlap_slowdown(scenario.work, scenario.cluster, scenario.exchange).share, 0);
  EXPECT_EQ(default_overlap_slowdown(scenario.work, scenario.cluster, scenario.exchange).origin, "");
}

TEST_F(MeasuredOverlap, TheResolvedScenarioStatesItAndRunsAgain) {
  const std::string arms =
      "compare:\n  overlapping: {}\n  after: {exchange: {overlap: false}}\n  local: {synchronisation: "
      "{method: "
      "periodic, every: 4}}\n";
  const std::string text = print_study(reading(scenario_on(workload_on("GPU 9"), arms)));
  EXPECT_THAT(text, ContainsRegex("\n  overlap_slowdown: 0.12 +# measured on gpu_9 .beside 4 channels.\n"));
  EXPECT_THAT(text, HasSubstr("# default `exchange.overlap_slowdown: 0.12`: measured on gpu_9"));
  EXPECT_EQ(reading(text).study.arms.at(0).exchange.overlap_slowdown, 0.12);
}

TEST_F(MeasuredDefaults, TheFileOfADeviceItselfAndItsDatasheetAreTheSameDevice) {
  folder_.write("data/devices/gpu_7.yaml",
                device_called("gpu_7", "overlap_slowdown: {share: 12 %, source: s}\n"));
  EXPECT_EQ(compression_on("Seven-80GB").stack, "pytorch_gpu_7");
  const Scenario scenario = reading(scenario_on(workload_on("GPU 7"), compressed)).study.arms.at(0);
  EXPECT_EQ(scenario.exchange.compression.stack, "pytorch_gpu_7");
  EXPECT_EQ(scenario.work.device->name, "gpu_7");  // a name is closer than an alias
}

}  // namespace
}  // namespace sim::scenario
