// `cluster.nccl`: how it is read, where it is used, and what is refused.
#include "sim/scenario/nccl_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/fabric.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using ::testing::HasSubstr;

const std::string a100 =
    "nccl: {version: 2.20, gpu: {compute_capability: 80, per_node: 8}, nvlink: {links: 12, fabric: switch}, "
    "cpu: amd, environment: {protocols: [LL, Simple]}, "
    "measured: {points: [{size: 8 B, time: 20 us}, {size: 1 GiB, time: 8 ms}]}}";
const std::string eight =
    "workers: 8, workers_per_node: 8, inner_link: {latency: 1 us, bandwidth: 200 GB/s}, ";

TEST(NcclKeys, AreReadAsWritten) {
  const Cluster cluster = first_arm(with_cluster(eight + good_link + ", " + a100)).cluster;
  ASSERT_TRUE(cluster.nccl.has_value());
  const auto& hardware = *cluster.nccl;
  EXPECT_EQ(hardware.version, "2.20");
  EXPECT_EQ(hardware.gpu.compute_capability, 80);
  EXPECT_EQ(hardware.gpu.per_process, 1);
  EXPECT_EQ(hardware.nvlink.links, 12);
  EXPECT_EQ(hardware.nvlink.fabric, netmodels::nccl::Fabric::all_to_all);
  EXPECT_EQ(hardware.cpu, netmodels::nccl::Processor::amd);
  EXPECT_FALSE(hardware.network.has_value());
  EXPECT_EQ(hardware.environment.protocols,
            (std::vector{netmodels::nccl::Protocol::LL, netmodels::nccl::Protocol::simple}));
  ASSERT_TRUE(hardware.measured.has_value());
  EXPECT_EQ(hardware.measured->points.size(), 2U);
  EXPECT_DOUBLE_EQ(hardware.measured->points[1].time.count, 8e-3);
  EXPECT_EQ(nccl_of(cluster), &*cluster.nccl);
}

TEST(NcclKeys, AMeshIsAListOfPairs) {
  const Cluster cluster =
      first_arm(
          with_cluster("workers: 2, workers_per_node: 2, inner_link: {latency: 1 us, bandwidth: 20 GB/s}, " +
                       good_link +
                       ", nccl: {gpu: {compute_capability: 70, per_node: 2}, nvlink: {fabric: mesh, mesh: "
                       "[[0, 1, 2]]}}"))
          .cluster;
  EXPECT_EQ(cluster.nccl->nvlink.mesh, (std::vector<std::vector<int>>{{0, 1, 2}}));
}

std::string refused(const std::string& nccl, const std::string& more = "") {
  return refusal(with_cluster(eight + good_link + ", nccl: {" + nccl + "}" + more));
}

TEST(NcclKeys, NameWhatIsWrong) {
  EXPECT_THAT(
      refused("gpu: {compute_capability: 42, per_node: 8}"),
      HasSubstr("unknown compute capability `42`; accepted: 60, 61, 70, 75, 80, 86, 89, 90, 100, 120"));
  EXPECT_THAT(refused("gpu: {compute_capability: 80, per_node: 4}"),
              HasSubstr("8 ranks a node, and a node has 4 GPUs; accepted: up to 4 ranks a node"));
  EXPECT_THAT(refused("version: 2.5, gpu: {compute_capability: 80, per_node: 8}"),
              HasSubstr("unknown constants of NCCL `2.5`; accepted: 2.18 to 2.29"));
  EXPECT_THAT(refused("gpu: {compute_capability: 80, per_node: 8}, nvlink: {link: 4}"),
              HasSubstr("did you mean `links`?"));
  EXPECT_THAT(refused("version: 2.26"), HasSubstr("gpu"));
}

TEST(NcclKeys, OnAQuietNetworkOnly) {
  const std::string background = ", background: [{from: 0, to: 1}]";
  const std::string hardware =
      "gpu: {compute_capability: 80, per_node: 8}, nvlink: {links: 12, fabric: switch}";
  EXPECT_EQ(refused(hardware, background), "accepted");
  const Cluster cluster =
      first_arm(with_cluster(eight + good_link + ", nccl: {" + hardware + "}" + background)).cluster;
  EXPECT_EQ(nccl_of(cluster), nullptr);
  EXPECT_EQ(nccl_obstacle(cluster), "`cluster.background` loads it");
  EXPECT_THAT(
      refusal(with_cluster(eight + good_link + ", nccl: {" + hardware + "}" + background), {"network=nccl"}),
      HasSubstr("`network: nccl` gives times of a quiet network: `cluster.background` loads it; use `auto`, "
                "`path` or `simgrid`"));
}

TEST(NcclKeys, HaveAnErrorOnlyWhereTheyGiveTimes) {
  const auto arm = [&](const std::vector<std::string>& settings) {
    const tests::ScratchFolder scratch;
    return read(scratch, with_cluster(eight + good_link + ", " + a100), settings)->study.arms.front();
  };
  const Scenario automatic = arm({});
  EXPECT_EQ(nccl_of(automatic), &*automatic.cluster.nccl);
  EXPECT_THAT(goodput_notes(automatic.cluster, true),
              ::testing::ElementsAre(HasSubstr("collectives whose schedules NCCL has take what NCCL 2.20")));
  const Scenario by_links = arm({"network=simgrid"});
  EXPECT_EQ(nccl_of(by_links), nullptr);
  EXPECT_THAT(goodput_lines(by_links.cluster, false),
              ::testing::Each(::testing::Not(HasSubstr("NCCL 2.20"))));
}

TEST(NcclKeys, TheEvaluatorNeedsThem) {
  EXPECT_THAT(
      refusal(least, {"network=nccl"}),
      HasSubstr("`network: nccl` needs `cluster.nccl`, which describes the hardware; write `cluster.nccl`, "
                "or `network: auto`"));
}

TEST(NcclKeys, WarnOfAVersionThatWasNotReadAndOfADescriptionThatIsNotUsed) {
  const tests::ScratchFolder scratch;
  const auto warnings = [&](const std::string& keys) {
    const auto reading = read(scratch, with_cluster(eight + good_link + ", " + keys));
    return reading->study.warnings;
  };
  EXPECT_THAT(warnings(a100), ::testing::Contains(HasSubstr(
                                  "the constants of NCCL 2.20 were not read: those of its neighbours are "
                                  "taken")));
  EXPECT_THAT(
      warnings(a100 + ", preset: tcp-wan"),
      ::testing::Contains(HasSubstr("`cluster.nccl` is not used, because `cluster.preset` models TCP: times "
                                    "are computed from links")));
  const auto other =
      read(scratch, with_cluster(eight + good_link + ", " + a100), {"exchange.library=openmpi"});
  EXPECT_EQ(nccl_of(other->study.arms.front()), nullptr);
  EXPECT_THAT(
      other->study.warnings,
      ::testing::Contains(HasSubstr("`cluster.nccl` is not used, because `exchange.library` is `openmpi`")));
}

TEST(NcclKeys, ShippedDescriptionsAreAccepted) {
  for (const char* name : {"a100x8_nvswitch", "v100_dgx1", "h100x8_nvswitch", "nvidia_dgx_1",
                           "nvidia_dgx_a100", "nvidia_dgx_h100", "nvidia_dgx_b200", "gcp_a3_ultragpu_8g"}) {
    const auto hardware = read_nccl(name, data_dir);
    ASSERT_TRUE(hardware.has_value()) << hardware.error().text();
    EXPECT_EQ(hardware->gpu.per_node, 8) << name;
  }
  EXPECT_THAT(read_nccl("aws_p3_16xlarge", data_dir).error().text(),
              HasSubstr("`aws_p3_16xlarge` has no key `nccl`; describe its hardware by `nccl: {gpu: "
                        "{compute_capability: ..."));
}

}  // namespace
}  // namespace sim::scenario
