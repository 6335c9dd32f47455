// Fabrics: the link that follows from line rate and transport, its range, and what is refused.
#include "sim/scenario/fabric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/language/text_file.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

constexpr double gigabit = 1e9 / 8;

/// A cluster of so many workers with these keys.
Cluster cluster_of(const std::string& keys, const std::string& size = "workers: 4") {
  return first_arm(with_cluster(size + ", " + keys)).cluster;
}

std::string fabric(const std::string& keys) { return "fabric: {" + keys + "}"; }

std::string error_of(const std::string& keys) { return refusal(with_cluster("workers: 4, " + keys)); }

void expect_goodput(const Cluster& cluster, double low, double mid, double high) {
  ASSERT_TRUE(cluster.link_range.has_value());
  EXPECT_NEAR(cluster.link_range->low.bandwidth.count / gigabit, low, 1e-9);
  EXPECT_NEAR(cluster.link_range->mid.bandwidth.count / gigabit, mid, 1e-9);
  EXPECT_NEAR(cluster.link_range->high.bandwidth.count / gigabit, high, 1e-9);
  EXPECT_EQ(cluster.link, cluster.link_range->mid);
}

TEST(Fabric,
     TcpAtFiftyGigabitsUsuallyYieldsTwenty) {  // 0.066, 0.40 and 0.70 of 50; a node usually reaches 20
  const Cluster cluster = cluster_of(fabric("kind: ethernet, rate: 50 Gbit/s, transport: nccl_tcp"));
  expect_goodput(cluster, 3.3, 20, 35);
  EXPECT_DOUBLE_EQ(cluster.link_range->mid.latency.count, 45e-6);
  EXPECT_DOUBLE_EQ(cluster.link_range->low.latency.count, 60e-6);
  EXPECT_DOUBLE_EQ(cluster.link_range->high.latency.count, 25e-6);
}

TEST(Fabric, TheCapOfAFlowCountsForEachConnection) {  // 2 channels x 1 connection x 5 Gbit/s
  const std::string aws = "kind: ethernet, rate: 25 Gbit/s, transport: nccl_tcp_aws";
  expect_goodput(cluster_of(fabric(aws)), 12.5, 18, 23.75);  // 32 flows: no cap
  expect_goodput(cluster_of(fabric(aws + ", connections: 1")), 10, 10, 10);
  expect_goodput(cluster_of(fabric(aws + ", connections: 1, placement_group: true")), 12.5, 18, 20);
}

TEST(Fabric, AProcessOfGlooReachesEightGigabits) {
  const std::string gloo = "kind: ethernet, rate: 40 Gbit/s, transport: gloo, latency: 1 ms";
  expect_goodput(cluster_of(fabric(gloo)), 2.64, 8, 28);
  expect_goodput(
      cluster_of(fabric(gloo) + ", " + "inner_fabric: {kind: pcie, rate: 16 GB/s, transport: pcie}",
                 "workers: 4, workers_per_node: 2"),
      2.64, 16, 28);
}

TEST(Fabric, InterfacesOfANodeAddUp) {  // 8 x 400 x 0.80, 0.90, 0.96
  expect_goodput(cluster_of(fabric("kind: infiniband, rate: 400 Gbit/s, nics: 8, transport: infiniband") +
                                ", inner_link: {latency: 2 us, bandwidth: 400 GB/s}",
                            "workers: 16, workers_per_node: 8"),
                 2560, 2880, 3072);
}

TEST(Fabric, ARateInBytesThatNoInterfaceHasIsWarnedOf) {
  const auto warned = [](const std::string& rate) {
    return study(with_cluster("workers: 4, " +
                              fabric("kind: infiniband, rate: " + rate + ", transport: infiniband")))
        .warnings;
  };
  EXPECT_THAT(warned("400 GB/s"),
              ::testing::ElementsAre(::testing::HasSubstr(
                  "`cluster.fabric.rate` is 3.2 Tbit/s, more than an interface carries: `GB/s` "
                  "counts bytes, and `Gbit/s` bits")));
  EXPECT_THAT(warned("400 Gbit/s"), ::testing::IsEmpty());
}

TEST(Fabric, AStatedLatencyReplacesTheTransports) {
  const Cluster cluster =
      cluster_of(fabric("kind: ethernet, rate: 10 Gbit/s, transport: nccl_tcp, latency: 1 ms"));
  EXPECT_DOUBLE_EQ(cluster.link.latency.count, 1e-3);
  EXPECT_DOUBLE_EQ(cluster.link_range->low.latency.count, 1e-3);
}

TEST(Fabric, AnInnerFabricMakesTheInnerLink) {  // 0.80 of 300 GB/s
  const Cluster cluster =
      cluster_of(good_link + ", inner_fabric: {kind: nvlink, rate: 300 GB/s, transport: nvlink}",
                 "workers: 4, workers_per_node: 2");
  ASSERT_TRUE(cluster.inner_link.has_value());
  EXPECT_DOUBLE_EQ(cluster.inner_link->bandwidth.count, 240e9);
  EXPECT_DOUBLE_EQ(cluster.inner_link->latency.count, 2.5e-6);
}

TEST(Fabric, OneNodeNeedsNoNetworkToOthers) {
  const std::string inside = "inner_fabric: {kind: pcie, rate: 16 GB/s, transport: pcie}";
  const Cluster cluster = cluster_of("workers_per_node: 4, " + inside);
  ASSERT_TRUE(cluster.inner_link.has_value());
  EXPECT_EQ(cluster.link, *cluster.inner_link);
  EXPECT_EQ(error_of("workers_per_node: 2, " + inside),
            "s.yaml:3:10: the key `cluster.link` is missing; write for example `link: {latency: 1 ms, "
            "bandwidth: 10 "
            "Gbit/s}`, or `fabric: {kind: ethernet, rate: 10 Gbit/s, transport: nccl_tcp}`");
}

TEST(Fabric, ALinkOverAFabricReplacesIt) {
  const std::string text =
      with_cluster("workers: 4, " + fabric("kind: ethernet, rate: 50 Gbit/s, transport: nccl_tcp"));
  const Study changed = study(text, {"cluster.link={latency: 1 ms, bandwidth: 3 Gbit/s}"});
  EXPECT_DOUBLE_EQ(changed.arms.at(0).cluster.link.bandwidth.count, 3 * gigabit);
  EXPECT_FALSE(changed.arms.at(0).cluster.fabric.has_value());
  const Study back = study(least, {"cluster.fabric={kind: ethernet, rate: 1 Gbit/s, transport: nccl_tcp}"});
  EXPECT_DOUBLE_EQ(back.arms.at(0).cluster.link.bandwidth.count, 0.94 * gigabit);
}

TEST(Fabric, TheResolvedScenarioReadsBack) {
  const tests::ScratchFolder scratch;
  const std::string text =
      with_cluster("workers: 4, " + fabric("kind: ethernet, rate: 50 Gbit/s, transport: nccl_tcp"));
  const auto reading = read(scratch, text);
  ASSERT_TRUE(reading.has_value());
  const std::string printed = print_study(*reading);
  const auto again = read(scratch, printed);
  ASSERT_TRUE(again.has_value()) << again.error().text();
  EXPECT_EQ(again->study.arms.at(0).cluster, reading->study.arms.at(0).cluster);
}

TEST(Fabric, SaysWhatItUsuallyYields) {
  const Cluster cluster = cluster_of(fabric("kind: ethernet, rate: 50 Gbit/s, transport: nccl_tcp"));
  EXPECT_EQ(goodput_notes(cluster),
            std::vector<std::string>{
                "nccl_tcp over 50 Gbit/s Ethernet usually yields 20 Gbit/s (3.3 Gbit/s to 35 "
                "Gbit/s; 3.3 to 4.2 of 50 Gbit/s on EC2 g4dn), latency 45 us (25 us to 60 us)"});
  EXPECT_EQ(goodput_lines(cluster), goodput_notes(cluster));
}

TEST(Fabric, APlainLinkIsGoodputAndALineRateIsPointedOut) {
  EXPECT_EQ(goodput_notes(cluster_of(good_link)),
            std::vector<std::string>{
                "the link's 10 Gbit/s are taken as goodput; TCP by NCCL usually reaches 9 Gbit/s on "
                "10 Gbit/s Ethernet (5 Gbit/s to 9.5 Gbit/s)"});
  const Cluster measured = cluster_of("link: {latency: 1 ms, bandwidth: 9.5 Gbit/s}");
  EXPECT_TRUE(goodput_notes(measured).empty());
  EXPECT_EQ(goodput_lines(measured),
            std::vector<std::string>{
                "the link's 9.5 Gbit/s are taken as goodput, which is what training traffic reaches"});
}

TEST(Fabric, EveryShippedClusterIsRead) {
  const std::string head =
      "# Q?\nworkload: {name: tiny, parameters: 1000, compute: 1 ms, batch: 8}\ncluster: ";
  int fabrics = 0;
  for (const std::string& name : language::names_in(data_dir / "clusters")) {
    const Study read = study(head + name + "\ntraining: {batch: 8, epochs: 1, samples: 51200}\n");
    ASSERT_FALSE(read.arms.empty()) << name;
    fabrics += read.arms.front().cluster.fabric ? 1 : 0;
  }
  EXPECT_GE(fabrics, 28);
}

TEST(FabricErrors, NameBothFigures) {
  EXPECT_EQ(
      error_of(good_link + ", " + fabric("kind: ethernet, rate: 50 Gbit/s, transport: nccl_tcp")),
      "s.yaml:3:76: `cluster.fabric`: both `cluster.link` (10 Gbit/s) and `cluster.fabric` (50 Gbit/s) are "
      "given; keep the fabric where the line rate is known, or the link where the goodput was measured");
  EXPECT_EQ(
      error_of(good_link +
               ", inner_link: {latency: 1 us, bandwidth: 200 GB/s}, inner_fabric: {kind: nvlink, rate: 300 "
               "GB/s, transport: nvlink}"),
      "s.yaml:3:132: `cluster.inner_fabric`: both `cluster.inner_link` (200 GB/s) and `cluster.inner_fabric` "
      "(300 GB/s) are given; keep the fabric where the line rate is known, or the link where the goodput was "
      "measured");
  EXPECT_EQ(
      error_of(fabric("kind: ethernet, rate: 100 Gbit/s, transport: tcpx")),
      "s.yaml:3:54: `cluster.fabric.rate`: unknown goodput of `tcpx` at 100 Gbit/s, known only at 200 "
      "Gbit/s; write one of these rates, or a measured goodput as `link: {latency: 50 us, bandwidth: 10 "
      "Gbit/s}`");
}

// RoCE over 400 Gbit/s: usual share 90 %, as over Ethernet with the same transport.
TEST(Fabric, RoceIsAKindAndTheTransportOfItsNameYieldsTheSameOverEthernet) {
  const Cluster roce = cluster_of(fabric("kind: roce, rate: 400 Gbit/s, nics: 8, transport: roce"));
  const Cluster ethernet = cluster_of(fabric("kind: ethernet, rate: 400 Gbit/s, nics: 8, transport: roce"));
  EXPECT_EQ(roce.link, ethernet.link);
  EXPECT_EQ(roce.link_range->name, "roce over 8 x 400 Gbit/s RoCE");
  EXPECT_EQ(error_of(fabric("kind: roce, rate: 400 Gbit/s, transport: nccl_tcp")),
            "s.yaml:3:73: `cluster.fabric.transport`: `nccl_tcp` does not run over RoCE; accepted here: "
            "rdma_without_gpudirect, roce; `nccl_tcp` needs `kind: ethernet` or `slingshot`");
}

TEST(FabricErrors, ATransportMustFitTheFabric) {
  EXPECT_EQ(error_of(fabric("kind: infiniband, rate: 100 Gbit/s, transport: efa")),
            "s.yaml:3:79: `cluster.fabric.transport`: `efa` does not run over InfiniBand; accepted here: "
            "infiniband, "
            "rdma_without_gpudirect; `efa` needs `kind: efa`");
  EXPECT_EQ(error_of(fabric("kind: pcie, rate: 16 GB/s, transport: pcie")),
            "s.yaml:3:38: `cluster.fabric.kind`: PCIe does not join nodes; accepted here: ethernet, "
            "infiniband, roce, efa, "
            "slingshot, nvlink");
  EXPECT_EQ(error_of(good_link + ", inner_fabric: {kind: ethernet, rate: 10 Gbit/s, transport: nccl_tcp}"),
            "s.yaml:3:89: `cluster.inner_fabric.kind`: Ethernet does not join the workers of a node; "
            "accepted here: "
            "nvlink, pcie");
}

TEST(FabricErrors, LinksOfAWorkerAreNoInterfaces) {
  const std::string error = error_of(fabric("kind: nvlink, rate: 450 GB/s, nics: 8, transport: nvlink"));
  EXPECT_NE(error.find("`cluster.fabric.nics`: 8 interfaces beside NVLink, whose rate (450 GB/s) is that of "
                       "all links of one worker; leave `nics` out; it counts interfaces between nodes"),
            std::string::npos)
      << error;
}

TEST(FabricErrors, AnUnknownLatencyMustBeStated) {
  EXPECT_EQ(error_of(fabric("kind: ethernet, rate: 10 Gbit/s, transport: gloo")),
            "s.yaml:3:76: `cluster.fabric.transport`: unknown latency of `gloo`; write `latency` "
            "beside it");
}

}  // namespace
}  // namespace sim::scenario
