// Levels of compression times, stacks of published times, devices by the names that drivers report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/device_file.hpp"
#include "sim/scenario/input_files.hpp"
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
  const Compression& compression = read.arms.front().compression;
  EXPECT_EQ(compression.cost, CostChoice::automatic);
  EXPECT_EQ(compression.framework.stack, "PyTorch");
  EXPECT_EQ(compression.framework.device, "V100");
}

TEST(CompressionCostKeys, EveryPublishedTimeNamesItsSourceAndItsRange) {
  for (const char* name : {"pytorch", "fused"}) {
    const auto costs = read_kernel_costs(tests::source_dir() + "/scenarios/kernel_times/" + name + ".yaml");
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
      "not known; state `compression.time`, or name a device of `sim list devices` in the workload");
  EXPECT_EQ(refusal(topk + ", cost: kernels}\n"),
            "s.yaml:5:47: `compression.cost`: no measured time of `topk` is stated; measure it by `calibrate "
            "probe kernels` and name the fit as `kernel_times`");
  EXPECT_EQ(refusal(plain + "compression: {method: int8, stack: fused, cost: framework}\n"), "accepted");
  EXPECT_EQ(refusal(topk + ", stack: fused, cost: framework}\n"),
            "s.yaml:5:61: `compression.cost`: no published time of `topk` in the stack `fused`; it has int8, "
            "bf16; or state `compression.time`");
}

TEST(CompressionDoubts, ARatioThatSendsMoreThanTheGradientIsDoubted) {
  const auto warnings = study(plain + "compression: {method: topk, ratio: 1}\n").warnings;
  EXPECT_THAT(warnings, ElementsAre(EndsWith(
                            "s.yaml:5:36: `topk` at the ratio 1 sends 8 MB of a gradient of 4 MB; a ratio "
                            "of 1 % is written `0.01` or `1 %`")));
  EXPECT_THAT(study(plain + "compression: {method: topk, ratio: 50 %}\n").warnings, IsEmpty());
  EXPECT_THAT(study(plain + "compression: {method: qsgd}\n").warnings, IsEmpty());
}

TEST(CompressionDoubts, ADeviceThatNoFileDescribesIsNamedWithThoseThatThereAre) {
  std::string file = topk + "}\n";
  file.replace(file.find("batch: 32}"), 9, "batch: 32, device: V1000x");
  EXPECT_THAT(study(file).warnings, IsEmpty());  // begins with an alias
  file.replace(file.find("V1000x"), 6, "H300 ");
  EXPECT_THAT(
      study(file).warnings,
      ElementsAre(AllOf(HasSubstr("no file describes its device `H300`, so that the floor of compression "
                                  "times is unknown; "),
                        HasSubstr("h200_sxm_datasheet"))));
}

TEST(MatchDevice, FindsTheNamesThatDriversReport) {
  const std::string data = tests::source_dir() + "/scenarios";
  const auto name = [&](const std::string& reported) {
    const auto device = match_device(reported, data);
    return device && *device ? (*device)->name : "none";
  };
  EXPECT_EQ(name("Tesla V100-SXM2-32GB"), "v100_sxm2_datasheet");
  EXPECT_EQ(name("tesla v100-sxm2-16gb"), "v100_sxm2_datasheet");
  EXPECT_EQ(name("NVIDIA A100-PG509-200 (TF32)"), "a100_sxm4_40gb_datasheet");
  EXPECT_EQ(name("NVIDIA H200"), "h200_sxm_datasheet");
  EXPECT_EQ(name("t4_datasheet"), "t4_datasheet");
  EXPECT_EQ(name("a laptop"), "none");
}

}  // namespace
}  // namespace sim::scenario
