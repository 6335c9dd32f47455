// Levels of compression times, stacks of published times, devices by the names that drivers report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/inputs/input_files.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using namespace testing;

const std::string plain =
    "# Q\n"
    "workload: {parameters: 1000000, compute: 30 ms, batch: 32}\n"
    "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}\n"
    "training: {batch: 32, steps: 3}\n";
const std::string topk = plain + "compression: {method: topk, ratio: 1 %";

TEST(CompressionCostKeys, TheDefaultStackIsPyTorchs) {
  const Study read = study(topk + "}\n");
  const Compression& compression = read.arms.front().exchange.compression;
  EXPECT_EQ(compression.cost, CostChoice::automatic);
  EXPECT_EQ(compression.framework.stack, "PyTorch");
  EXPECT_EQ(compression.framework.device, "V100");
}

TEST(CompressionCostKeys, EveryPublishedTimeNamesItsSourceAndItsRange) {
  for (const char* name : {"pytorch", "fused"}) {
    const auto costs =
        inputs::read_kernel_costs(tests::source_dir() + "/scenarios/kernel_times/" + name + ".yaml");
    ASSERT_TRUE(costs.has_value()) << costs.error().text();
    EXPECT_TRUE(costs->memory_bandwidth.has_value());
    for (const netmodels::MeasuredKernel& row : costs->rows) {
      EXPECT_FALSE(row.source.empty()) << row.method;
      EXPECT_GT(row.high, row.low) << row.method;
    }
  }
}

TEST(CompressionCostKeys, AnUnknownStackIsRefusedWithTheNearest) {
  EXPECT_THAT(
      refusal(topk + ", stack: pytorhc}\n"),
      AllOf(HasSubstr("unknown stack of published compression times `pytorhc`"), HasSubstr("pytorch")));
}

TEST(CompressionCostKeys, AFileOfMeasuredTimesIsNoStack) {
  EXPECT_EQ(refusal(topk + ", stack: epyc_thread}\n"),
            "s.yaml:5:48: `compression.stack`: `epyc_thread.yaml` does not state its `stack`; name a file of "
            "published times, or write `kernel_times: epyc_thread.yaml`");
}

TEST(CompressionCostKeys, ALevelThatIsNotThereIsRefused) {
  EXPECT_EQ(
      refusal(topk + ", cost: floor}\n"),
      "s.yaml:5:47: `compression.cost`: no file describes the device `not stated`, so that its floor is "
      "unknown; state `compression.time`, or name a device of `sim list devices` in the workload");
  EXPECT_EQ(refusal(topk + ", cost: kernels}\n"),
            "s.yaml:5:47: `compression.cost`: no measured time of `topk` is stated; measure it by `calibrate "
            "probe kernels` and name the fit as `kernel_times`");
  EXPECT_EQ(refusal(plain + "compression: {method: int8, stack: fused, cost: framework}\n"), "accepted");
  EXPECT_EQ(refusal(topk + ", stack: fused, cost: framework}\n"),
            "s.yaml:5:61: `compression.cost`: no published time of `topk` in the stack `fused`; it has int8, "
            "bf16; or state `compression.time`");
}

TEST(CompressionCostKeys, PublishedTimesAreNoMeasuredOnes) {
  EXPECT_THAT(
      refusal(topk + ", kernel_times: kernel_times/pytorch.yaml}\n"),
      AllOf(StartsWith("s.yaml:5:55: `compression.kernel_times`: `"),
            EndsWith("pytorch.yaml` has times that were published for PyTorch, not measured here; name it as "
                     "`compression.stack`")));
}

TEST(CompressionCostKeys, MeasuredTimesStateTheirErrors) {
  const tests::ScratchFolder scratch;
  const auto error_of = [&](const std::string& more) {
    const std::string row = "method: topk, fixed: 1 ms, smallest: 1, largest: 9" + more;
    const auto costs =
        inputs::read_kernel_costs(scratch.write("k.yaml", "device: d\nkernels: [{" + row + "}]\n"));
    return costs ? "accepted" : costs.error().what + "; " + costs.error().hint;
  };
  EXPECT_EQ(error_of(""),
            "`kernels[0]`, topk: the keys `median_error`, `p90_error` and `worst_error` are needed; fit the "
            "times by "
            "`calibrate fit kernels`, or state the `stack` that they were published for");
  const std::string errors = ", median_error: 1 %, p90_error: 2 %, worst_error: 3 %";
  EXPECT_EQ(error_of(errors), "accepted");
  EXPECT_EQ(
      error_of(errors + ", high: 2"),
      "`kernels[0]`, topk: `per_tensor`, `low` and `high` belong to times of a framework; state the `stack` "
      "of the "
      "file, or leave them out");
}

TEST(CompressionWarnings, ARatioThatSendsMoreThanTheGradientIsWarnedOf) {
  const auto warnings = study(plain + "compression: {method: topk, ratio: 1}\n").warnings;
  EXPECT_THAT(warnings, ElementsAre(EndsWith(
                            "s.yaml:5:36: `topk` at the ratio 1 sends 8 MB of a gradient of 4 MB; a ratio "
                            "of 1 % is written `0.01` or `1 %`")));
  EXPECT_THAT(study(plain + "compression: {method: topk, ratio: 50 %}\n").warnings, IsEmpty());
  EXPECT_THAT(study(plain + "compression: {method: qsgd}\n").warnings, IsEmpty());
}

TEST(CompressionWarnings, ADeviceThatNoFileDescribesIsNamedWithThoseThatAreNear) {
  std::string file = topk + "}\n";
  file.replace(file.find("batch: 32}"), 9, "batch: 32, device: Tesla V100-PCIE");
  EXPECT_THAT(
      study(file).warnings,
      ElementsAre(EndsWith("s.yaml:2:11: `workload`: no device file describes `Tesla V100-PCIE`, so that "
                           "compression times have no lower bound; near names: v100_sxm2_16gb_datasheet, "
                           "v100_sxm2_datasheet")));
}

TEST(CompressionWarnings, ADeviceOfOnesOwnHasAFloorLikeAShippedOne) {
  const tests::ScratchFolder scratch;
  scratch.write("mine.yaml", "name: mine\nprovenance: p\npeak: 1 TFLOP/s\nmemory_bandwidth: 123 GB/s\n");
  const std::string layers = tests::source_dir() + "/scenarios/workloads/layers/resnet18.csv";
  std::string file = topk + "}\n";
  file.replace(file.find("{parameters"), file.find('\n', 5) - file.find("{parameters"),
               "{name: m, provenance: p, layers: " + layers + ", times: {roofline: ./mine.yaml, batch: 32}}");
  const auto reading = read(scratch, file);
  ASSERT_TRUE(reading.has_value()) << reading.error().text();
  ASSERT_TRUE(reading->study.arms.front().work.device.has_value());
  EXPECT_EQ(reading->study.arms.front().work.device->memory_bandwidth.count, 123e9);
}

}  // namespace
}  // namespace sim::scenario
