// Devices of clusters: which contradictions are warned of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/device_mismatch.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> warnings(const std::string& workload, const std::string& cluster) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch, "# Question?\nworkload: " + workload + "\ncluster: " + cluster +
                                         "\ntraining: {batch: 32, steps: 10}\n");
  EXPECT_TRUE(reading) << (reading ? "" : reading.error().text());
  return reading ? reading->study.warnings : std::vector<std::string>{};
}

std::string joined_by_nvlink(const std::string& device, const std::string& rate) {
  return "{workers: 4, workers_per_node: 2, device: " + device +
         ", link: {latency: 50 us, bandwidth: 7 Gbit/s}, inner_fabric: {kind: nvlink, rate: " + rate +
         ", transport: nvlink}}";
}

TEST(ClusterDevices, TimesOfAnotherDeviceAreWarnedOf) {
  EXPECT_THAT(warnings("resnet50_v100", "aws_g4dn_12xlarge"),
              Contains(HasSubstr("s.yaml:2:11: compute times are of v100_sxm2_datasheet, and the cluster has "
                                 "t4_datasheet; name the workload for the cluster's device")));
  EXPECT_THAT(warnings("resnet50_v100", "aws_p3_16xlarge"), Not(Contains(HasSubstr("compute times are"))));
}

TEST(ClusterDevices, AMismatchOfMeasuredTimesIsAFact) {
  const auto mismatch = [](const std::string& workload, const std::string& cluster) {
    const Scenario arm = first_arm("# Question?\nworkload: " + workload + "\ncluster: " + cluster +
                                   "\ntraining: {batch: 4, steps: 10}\nparallelism: {data: none}\n");
    return device_mismatch(arm.work.device, arm.stated->device);
  };
  EXPECT_EQ(mismatch("resnet50_v100", "aws_g4dn_12xlarge"),
            (DeviceMismatch{"v100_sxm2_datasheet", "t4_datasheet"}));
  EXPECT_FALSE(mismatch("resnet50_v100", "aws_p3_16xlarge"));
  EXPECT_FALSE(mismatch("resnet50", "aws_g4dn_12xlarge")) << "a roofline is of the cluster's device";
  EXPECT_FALSE(mismatch("gpt2_medium", "aws_p4d_24xlarge")) << "so is a transformer";
}

// GPT-2 XL: 1.5576 G parameters of 16 bytes.
TEST(ClusterDevices, AModelByDescriptionHasTheMemoryOfTheCluster) {
  const auto said = [](const std::string& more) {
    return refusal(
        "# Question?\nworkload: gpt2_xl\ncluster: {use: rtx_4090_10gbit}\n"
        "training: {batch: 4, steps: 10}\n" +
        more);
  };
  EXPECT_EQ(
      said(""),
      "s.yaml:2:11: `workload`: parameters, gradients and optimizer states take 24.9 GB on each worker, and "
      "rtx_4090_datasheet has 24 GB; fits with `parallelism.data`: `zero1` (8.57 GB), `zero2` (5.84 GB), "
      "`hsdp` (6.72 GB), `fsdp` (3.61 GB)");
  EXPECT_EQ(said("parallelism: {data: fsdp}\n"), "accepted");
}

TEST(ClusterDevices, AUtilisationOutsideOfWhatWasPublishedIsWarnedOf) {
  EXPECT_THAT(
      warnings("{model: gpt2_medium, stack: pytorch-fsdp-2023, recomputation: full}", "rtx_4090_10gbit"),
      Contains(HasSubstr("s.yaml:2:11: outside of what was published: rtx_4090_datasheet, "
                         "a100_sxm4_40gb_datasheet was measured; range widened to 47 to 211 % of the "
                         "predicted time")));
  EXPECT_THAT(
      warnings("{model: gpt2_medium, stack: pytorch-fsdp-2023}", "{use: nvidia_dgx_h100, workers: 1024}"),
      Contains(HasSubstr("1024 GPUs, at most 512 were measured")));
}

TEST(ClusterDevices, TimesOfAnUnknownDeviceBesideADeviceAreWarnedOf) {
  const std::string stated = "{name: w, parameters: 1000, compute: 3 ms, batch: 32";
  EXPECT_THAT(
      warnings(stated + "}", "aws_g4dn_12xlarge"),
      Contains(HasSubstr("compute times of `w` do not say which device they belong to, and are taken for "
                         "t4_datasheet as they are; state it as `workload.device`")));
  EXPECT_THAT(warnings(stated + ", device: t4_datasheet}", "aws_g4dn_12xlarge"),
              Not(Contains(HasSubstr("do not say which device"))));
}

TEST(ClusterDevices, ARooflineIsOfTheClustersDevice) {
  EXPECT_THAT(warnings("resnet50", "aws_g4dn_12xlarge"), Not(Contains(HasSubstr("compute times are"))));
  const auto workload_on = [](const std::string& device) {
    return first_arm("# Question?\nworkload: resnet50\ncluster: {workers: 4, " + good_link + device +
                     "}\ntraining: {batch: 32, steps: 10}\n")
        .work.workload;
  };
  const auto own = workload_on("");
  const auto moved = workload_on(", device: t4_datasheet");
  EXPECT_EQ(own.device, "v100_sxm2_datasheet");
  EXPECT_EQ(moved.device, "t4_datasheet");
  EXPECT_GT(moved.layers.front().forward.at(32), own.layers.front().forward.at(32));
  EXPECT_THAT(moved.provenance, ::testing::EndsWith("; here on t4_datasheet, which the cluster has"));
}

TEST(ClusterDevices, FormsOfOneGpuComputeAlike) {
  EXPECT_THAT(warnings("resnet50_a100", "gcp_a2_highgpu_8g"), Not(Contains(HasSubstr("compute times are"))));
}

TEST(ClusterDevices, NvlinkThatADeviceDoesNotHaveIsWarnedOf) {
  EXPECT_THAT(warnings("resnet50_v100", joined_by_nvlink("l4_datasheet", "300 GB/s")),
              Contains(AllOf(HasSubstr("s.yaml:3:"), HasSubstr("`cluster.inner_fabric.rate` is 300 GB/s, and "
                                                               "l4_datasheet has no NVLink"))));
  EXPECT_THAT(warnings("resnet50_v100", joined_by_nvlink("v100_sxm2_datasheet", "300 GB/s")),
              Contains(HasSubstr("`cluster.inner_fabric.rate` is 300 GB/s, and the NVLinks of "
                                 "v100_sxm2_datasheet carry 150 GB/s in one direction")));
  EXPECT_THAT(warnings("resnet50_v100", joined_by_nvlink("v100_sxm2_datasheet", "150 GB/s")),
              Not(Contains(HasSubstr("NVLink"))));
}

TEST(ClusterDevices, AnUnknownNameIsRefused) {
  EXPECT_THAT(refusal(with_cluster("workers: 4, device: v100_sxm3_datasheet, " + good_link)),
              HasSubstr("unknown device `v100_sxm3_datasheet`; did you mean `v100_sxm2_datasheet`?"));
}

TEST(ClusterDevices, ADeviceMayBeNamedAsItsDriverDoes) {
  for (const char* name : {"NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"})
    EXPECT_EQ(refusal(with_cluster(std::string("workers: 4, device: ") + name + ", " + good_link)),
              "accepted");
  EXPECT_THAT(
      refusal(with_cluster("workers: 4, device: A100, " + good_link)),
      HasSubstr("unknown device `A100`; write one of a100_pcie_80gb_datasheet, a100_sxm4_40gb_datasheet, "
                "a100_sxm4_80gb_datasheet; `sim list devices` shows all"));
}

TEST(ClusterDevices, ShippedClustersContradictNoNvlink) {
  for (const char* cluster : {"aws_p3_16xlarge", "aws_p5_48xlarge", "nvidia_dgx_b200", "gcp_a2_highgpu_8g",
                              "azure_nd96isr_h200_v5", "nvidia_dgx_2"})
    EXPECT_THAT(warnings("resnet50_v100", cluster), Not(Contains(HasSubstr("inner_fabric.rate")))) << cluster;
}

}  // namespace
}  // namespace sim::scenario
