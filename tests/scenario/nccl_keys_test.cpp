// `cluster.nccl`: how it is read, where it is used, and what is refused.
#include "sim/scenario/nccl_keys.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/fabric.hpp"
#include "tests/arm_parts.hpp"
#include "tests/scenario/scenario_text.hpp"
#include "tests/scratch_folder.hpp"

namespace sim::scenario {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(NcclKeys, GpusOfAmdNeedAMeasuredTable) {
  EXPECT_THAT(
      refused("gpu: {compute_capability: gfx90a, per_node: 8}"),
      HasSubstr("`cluster.nccl.gpu.compute_capability`: `gfx90a` is not a whole number; write that of an "
                "NVIDIA GPU without its point, such as `80` for 8.0; GPUs of AMD (gfx90a, ...) run RCCL, for "
                "which NCCL's constants "
                "do not hold: leave out `nccl` and give a measured table by `collective_times`"));
  EXPECT_THAT(
      refused("library: rccl"),
      HasSubstr("`cluster.nccl.library`: unknown value `rccl`; accepted: nccl; its constants do not hold for "
                "RCCL and other libraries: leave out `nccl` and give a measured table by "
                "`collective_times`"));
  EXPECT_THAT(refused("library: nccl, gpu: {compute_capability: 42, per_node: 8}"),
              HasSubstr("unknown compute capability `42`"));
}

const std::string plain_a100 =
    "gpu: {compute_capability: 80, per_node: 8}, nvlink: {links: 12, fabric: switch}";

TEST(NcclKeys, HoldOnNetworksThatAreSharedOrChange) {
  for (const std::string more :
       {"background: [{from: 0, to: 1}]", "changes: [{at: step 1, bandwidth: 1 Gbit/s}]",
        "failures: [{link: node0, at: 1 s, until: 2 s}]"}) {
    const std::string text = with_cluster(eight + good_link + ", nccl: {" + plain_a100 + "}, " + more);
    const Cluster cluster = first_arm(text).cluster;
    EXPECT_EQ(nccl_of(cluster), &*cluster.nccl) << more;
    EXPECT_EQ(refusal(text, {"network=nccl"}), "accepted") << more;
  }
}

TEST(NcclKeys, DoNotHoldWhereAWorkerIsLostOrLinksAreOthers) {
  const auto text = [](const std::string& more) {
    return with_cluster(eight + good_link + ", nccl: {" + plain_a100 + "}, " + more);
  };
  const std::string lost = text("failures: [{worker: 1, at: 1 s}]");
  EXPECT_EQ(nccl_of(first_arm(lost).cluster), nullptr);
  EXPECT_THAT(refusal(lost, {"network=nccl"}),
              HasSubstr("`network: nccl` does not fit the cluster: `cluster.failures` may leave nodes with "
                        "different numbers of workers; use `auto`, `path` or `simgrid`"));
  EXPECT_THAT(refusal(text("preset: tcp-wan"), {"network=nccl"}), HasSubstr("`cluster.preset` models TCP"));
}

const std::string two_nodes = "workers: 16, workers_per_node: 8, nccl: {" + plain_a100 +
                              ", network: {kind: infiniband, nics_per_node: 8, rate: 200 Gbit/s}}";

TEST(NcclKeys, GiveTheLinksThatAreLeftOut) {
  const Cluster cluster = first_arm(with_cluster(two_nodes)).cluster;
  EXPECT_DOUBLE_EQ(cluster.link.bandwidth.count, 8 * 25e9 * .9);
  EXPECT_DOUBLE_EQ(cluster.inner_link->bandwidth.count, 12 * 25e9 * .80 / (1 + .7 / 64));
  EXPECT_NEAR(cluster.link.latency.count, 2.7e-6 + 3e-6, 1e-12);  // NCCL's hop, and what RDMA adds to it
  EXPECT_NEAR(cluster.inner_link->latency.count, .6e-6, 1e-12);
  EXPECT_EQ(cluster.in_hops, (HopLatency{cluster.link.latency, cluster.inner_link->latency}));
  const Cluster single =
      first_arm(with_cluster("workers: 8, workers_per_node: 8, nccl: {" + plain_a100 + "}")).cluster;
  EXPECT_EQ(single.link.bandwidth, single.inner_link->bandwidth);
}

/// A network as a fabric and as NCCL's hardware name it.
struct NamedNetwork {
  std::string fabric;
  std::string transport;
  std::string nccl;
};

/// Two nodes of this network, by `fabric` and by `nccl`: they have the same goodput.
/// @returns false where the goodput at that rate is unknown to the fabric
bool agree(const NamedNetwork& network, const std::string& rate, int workers_per_node, int nics) {
  const std::string nodes =
      fmt::format("workers: {}, workers_per_node: {}, ", 2 * workers_per_node, workers_per_node);
  const std::string inside = workers_per_node > 1 ? "inner_link: {latency: 1 us, bandwidth: 20 GB/s}, " : "";
  const std::string by_fabric =
      with_cluster(nodes + inside +
                   fmt::format("fabric: {{kind: {}, rate: {}, nics: {}, transport: {}}}", network.fabric,
                               rate, nics, network.transport));
  if (refusal(by_fabric) != "accepted") return false;
  const std::string by_nccl =
      with_cluster(nodes + fmt::format("nccl: {{gpu: {{compute_capability: 80, per_node: {}}}, network: "
                                       "{{{}, rate: {}, nics_per_node: {}}}}}",
                                       workers_per_node, network.nccl, rate, nics));
  EXPECT_DOUBLE_EQ(first_arm(by_nccl).cluster.link.bandwidth.count,
                   first_arm(by_fabric).cluster.link.bandwidth.count)
      << by_fabric << "\n"
      << by_nccl;
  return true;
}

/// Whatever the kind, the rate, and who writes to the memory of GPUs.
TEST(NcclKeys, GiveTheRateThatTheFabricOfTheSameHardwareHas) {
  const std::vector<NamedNetwork> networks{
      {"ethernet", "nccl_tcp", "kind: socket, gpu_direct: false"},
      {"ethernet", "roce", "kind: roce"},
      {"ethernet", "rdma_without_gpudirect", "kind: roce, gpu_direct: false"},
      {"ethernet", "tcpx", "kind: tcpx"},
      {"ethernet", "tcpxo", "kind: tcpxo"},
      {"infiniband", "infiniband", "kind: infiniband"},
      {"infiniband", "rdma_without_gpudirect", "kind: infiniband, gpu_direct: false"},
      {"slingshot", "slingshot", "kind: slingshot"},
      {"efa", "efa", "kind: efa"}};
  int compared = 0;
  for (const NamedNetwork& network : networks) {
    for (const std::string rate :
         {"50 Mbit/s", "200 Mbit/s", "1 Gbit/s", "5 Gbit/s", "10 Gbit/s", "25 Gbit/s", "40 Gbit/s",
          "50 Gbit/s", "100 Gbit/s", "200 Gbit/s", "400 Gbit/s"}) {
      for (const auto& [workers, nics] : {std::pair{1, 1}, {8, 1}, {8, 4}})
        compared += agree(network, rate, workers, nics);
    }
  }
  EXPECT_GT(compared, 150);
}

TEST(NcclKeys, WithoutLinksNameWhatTheDescriptionLacks) {
  EXPECT_THAT(refusal(with_cluster("workers: 16, workers_per_node: 8, nccl: {" + plain_a100 + "}")),
              HasSubstr("2 nodes without a network; write for example `network: {kind: roce"));
}

TEST(NcclKeys, WarnOfChangesBeyondTheHardware) {
  const auto warnings =
      study(with_cluster(two_nodes + ", changes: [{at: step 1, bandwidth: 10 Tbit/s}]")).warnings;
  ASSERT_THAT(warnings, ::testing::SizeIs(1));
  EXPECT_THAT(warnings[0],
              HasSubstr("`cluster.changes[0].bandwidth` is above 1.44 Tbit/s, beyond which times "
                        "of `cluster.nccl` stay as they are"));
}

TEST(NcclKeys, ALinkIsTheNetworkBetweenNodes) {
  const auto cluster = [](const std::string& more) {
    return first_arm(with_cluster(two_nodes + more)).cluster;
  };
  const Cluster slow = cluster(", link: {latency: 50 ms, bandwidth: 1 Gbit/s}");
  EXPECT_EQ(slow.link, (netmodels::LinkState{{.05}, {.125e9}}));
  EXPECT_EQ(slow.in_hops.link, netmodels::Seconds{});
  const std::string fabric = ", fabric: {kind: infiniband, rate: 100 Gbit/s, transport: infiniband";
  const Cluster usual = cluster(fabric + "}");
  EXPECT_EQ(usual.in_hops.link, usual.link.latency) << "the transport's latency is in NCCL's hops";
  EXPECT_EQ(cluster(fabric + ", latency: 5 ms}").in_hops.link, netmodels::Seconds{}) << "a stated one is not";
}

TEST(NcclKeys, AnInnerLinkIsTheSlowerOfBoth) {
  const auto hop = [](const std::string& latency) {
    return first_arm(
               with_cluster(two_nodes + ", inner_link: {latency: " + latency + ", bandwidth: 200 GB/s}"))
        .cluster.in_hops.inner_link.count;
  };
  EXPECT_NEAR(hop("2 us"), .6e-6, 1e-12);
  EXPECT_NEAR(hop("0.2 us"), .2e-6, 1e-12);
}

TEST(NcclKeys, WarnOfALinkThatIsFasterThanTheInterfaces) {
  const auto warnings =
      study(with_cluster(two_nodes + ", link: {latency: 5 us, bandwidth: 2 Tbit/s}")).warnings;
  ASSERT_THAT(warnings, ::testing::SizeIs(1));
  EXPECT_THAT(warnings[0], HasSubstr("`cluster.link` carries 2 Tbit/s, and the interfaces of a node in "
                                     "`cluster.nccl` 1.6 Tbit/s: the interfaces count"));
  EXPECT_THAT(study(with_cluster(two_nodes + ", link: {latency: 5 us, bandwidth: 10 Gbit/s}")).warnings,
              ::testing::IsEmpty());
}

TEST(NcclKeys, RefuseAnInnerLinkThatContradictsThem) {
  EXPECT_THAT(refusal(with_cluster(two_nodes + ", inner_link: {latency: 2 us, bandwidth: 10 GB/s}")),
              HasSubstr("`cluster.inner_link` gives workers inside a node 80 Gbit/s, and the hardware of "
                        "`cluster.nccl` reaches "));
}

TEST(NcclKeys, RefuseAPartOfALinkThatFollowsFromThem) {
  const auto set = [](const std::string& cluster, const std::string& setting) {
    return refusal(with_cluster(cluster), {setting});
  };
  EXPECT_EQ(set(two_nodes, "cluster.link.bandwidth=10 Gbit/s"),
            "--set cluster.link.bandwidth: the cluster states no `cluster.link` that could be changed: what "
            "joins nodes follows from `cluster.nccl`; change `cluster.nccl.network.rate`, or state both "
            "`cluster.link.latency` and `cluster.link.bandwidth`");
  EXPECT_EQ(set(two_nodes, "cluster.link.latency=10 us"),
            "--set cluster.link.latency: the cluster states no `cluster.link` that could be changed: what "
            "joins nodes follows from `cluster.nccl`; state both `cluster.link.latency` and "
            "`cluster.link.bandwidth`");
  EXPECT_EQ(set(two_nodes, "cluster.inner_link.bandwidth=10 GB/s"),
            "--set cluster.inner_link.bandwidth: the cluster states no `cluster.inner_link` that could be "
            "changed: what joins workers inside a node follows from `cluster.nccl`; change "
            "`cluster.nccl.nvlink.link_rate`, or state both `cluster.inner_link.latency` and "
            "`cluster.inner_link.bandwidth`");
  EXPECT_EQ(set(two_nodes + ", fabric: {kind: infiniband, rate: 400 Gbit/s, nics: 8, transport: infiniband}",
                "cluster.link.bandwidth=10 Gbit/s"),
            "--set cluster.link.bandwidth: the cluster states no `cluster.link` that could be changed: what "
            "joins nodes follows from `cluster.fabric` and `cluster.nccl`; change `cluster.fabric.rate` and "
            "`cluster.nccl.network.rate`, or state both `cluster.link.latency` and "
            "`cluster.link.bandwidth`");
  EXPECT_EQ(set("workers: 4, fabric: {kind: ethernet, rate: 10 Gbit/s, transport: nccl_tcp}",
                "cluster.link.latency=1 ms"),
            "--set cluster.link.latency: the cluster states no `cluster.link` that could be changed: what "
            "joins nodes follows from `cluster.fabric`; change `cluster.fabric.latency`, or state both "
            "`cluster.link.latency` and `cluster.link.bandwidth`");
  EXPECT_EQ(set(two_nodes, "cluster.link={latency: 5 us, bandwidth: 800 Gbit/s}"), "accepted");
}

TEST(NcclKeys, RefuseGpusOfAmd) {
  const auto on = [](const std::string& device) {
    return refusal(
        "# Does it pay?\nworkload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32, "
        "device: " +
        device + "}\ncluster: {" + two_nodes + "}\ntraining: {batch: 32, epochs: 2, samples: 12800}\n");
  };
  for (const std::string device : {"AMD Instinct MI250X", "MI300X", "mi250x"})
    EXPECT_THAT(on(device), HasSubstr("is a GPU of AMD, which runs RCCL: constants of NCCL do not hold for "
                                      "it; accepted: a measured table by `cluster.collective_times`, or "
                                      "links without `nccl`"))
        << device;
  EXPECT_EQ(on("NVIDIA A100"), "accepted");
  EXPECT_THAT(refusal(with_cluster(two_nodes + ", device: mi250x_gcd_datasheet")),
              HasSubstr("`mi250x_gcd_datasheet` is a GPU of AMD, which runs RCCL"));
  EXPECT_THAT(
      refused("gpu: {compute_capability: 942, per_node: 8}"),
      HasSubstr("for GPUs without NCCL (AMD's run RCCL) give a measured table by `collective_times`"));
}

TEST(NcclKeys, ADescriptionThatNoGpuHasIsWarnedOf) {
  const auto warnings = [](const std::string& more, const std::string& nvlink) {
    return study(with_cluster("workers: 8, workers_per_node: 8, " + good_link + more +
                              ", nccl: {gpu: {compute_capability: 70, per_node: 8}, nvlink: " + nvlink + "}"))
        .warnings;
  };
  EXPECT_THAT(
      warnings("", "{links: 6, link_rate: 900 GB/s, fabric: switch}"),
      Contains(HasSubstr("the NVLinks of a GPU carry 5400 GB/s in one direction, and no GPU of compute "
                         "capability 70 has more than 150 GB/s")));
  EXPECT_THAT(warnings("", "{links: 6, fabric: switch}"), Not(Contains(HasSubstr("NVLinks of a GPU"))));
  EXPECT_THAT(warnings(", device: a100_sxm4_40gb_datasheet", "{links: 6, fabric: switch}"),
              Contains(HasSubstr("`cluster.nccl.gpu.compute_capability` is 70, and a100_sxm4_40gb_datasheet "
                                 "has 80")));
}

TEST(NcclKeys, RcclNeedsAMeasuredTable) {
  EXPECT_THAT(refusal(least, {"exchange.library=rccl"}),
              HasSubstr("`exchange.library: rccl` needs measured times of collectives, and nothing provides "
                        "it; write `cluster.collective_times"));
  EXPECT_THAT(refusal(with_cluster(two_nodes), {"exchange.library=rccl"}),
              HasSubstr("`exchange.library: rccl` needs measured times of collectives"));
  EXPECT_EQ(refusal(with_cluster("use: a100x8_nvswitch"), {"exchange.library=rccl"}), "accepted");
}

TEST(NcclKeys, HaveAnErrorOnlyWhereTheyGiveTimes) {
  const auto arm = [&](const std::vector<std::string>& settings) {
    const tests::ScratchFolder scratch;
    return read(scratch, with_cluster(eight + good_link + ", " + a100), settings)->study.arms.front();
  };
  const Scenario automatic = arm({});
  EXPECT_EQ(nccl_of(automatic), &*automatic.cluster.nccl);
  EXPECT_THAT(goodput_notes(automatic.cluster, true),
              ::testing::ElementsAre(::testing::AllOf(
                  HasSubstr("collectives whose schedules NCCL has take what NCCL 2.20"),
                  HasSubstr("hardware, corrected by 2 measured times of all_reduce; on other machines"),
                  Not(HasSubstr("for less")))));
  const Scenario by_links = arm({"network=path"});
  EXPECT_EQ(nccl_of(by_links), nullptr);
  EXPECT_THAT(goodput_lines(by_links.cluster, false),
              ::testing::Each(::testing::Not(HasSubstr("NCCL 2.20"))));
}

TEST(NcclKeys, TheEvaluatorNeedsThem) {
  EXPECT_THAT(refusal(least, {"network=nccl"}),
              HasSubstr("`network: nccl` needs a description of the hardware, and nothing provides it; write "
                        "`cluster.nccl`, `network: auto` or `network: closed`"));
}

TEST(NcclKeys, WarnOfAVersionThatWasNotReadAndOfADescriptionThatIsNotUsed) {
  const tests::ScratchFolder scratch;
  const auto warnings = [&](const std::string& keys, const std::vector<std::string>& settings = {}) {
    const auto reading = read(scratch, with_cluster(eight + good_link + ", " + keys), settings);
    return reading->study.warnings;
  };
  EXPECT_THAT(
      warnings(a100, {"cluster.nccl.version=2.24"}),
      ::testing::Contains(HasSubstr("the constants of NCCL 2.24 were not read: those of its neighbours "
                                    "are taken")));
  EXPECT_THAT(warnings(a100, {"network=path"}),
              ::testing::Contains(HasSubstr("`cluster.nccl` is not used, because `network: path` computes "
                                            "times from links")));
  EXPECT_THAT(
      warnings(a100 + ", preset: tcp-wan"),
      ::testing::Contains(HasSubstr("`cluster.nccl` is not used, because `cluster.preset` models TCP: times "
                                    "are computed from links")));
  const auto other =
      read(scratch, with_cluster(eight + good_link + ", " + a100), {"exchange.library=openmpi"});
  EXPECT_EQ(nccl_of(other->study.arms.front()), nullptr);
  EXPECT_THAT(
      other->study.warnings,
      ::testing::Contains(HasSubstr("`cluster.nccl` is not used: the library of collectives is openmpi, as "
                                    "`exchange.library` states")));
}

TEST(NcclKeys, WarnOfComputeTimesOfAnotherDevice) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch,
                            "# Question?\n"
                            "workload: resnet50_v100\n"
                            "cluster: nvidia_dgx_a100\n"
                            "training: {batch: 32, steps: 10}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_THAT(
      reading->study.warnings,
      ::testing::Contains(HasSubstr(
          "s.yaml:2:11: compute times are of v100_sxm2_datasheet (compute capability 70), and the cluster "
          "has GPUs of compute capability 80; name the workload for the cluster's device")));
}

TEST(NcclKeys, ShippedDescriptionsAreAccepted) {
  for (const char* name : {"a100x8_nvswitch",       "v100_dgx1",
                           "h100x8_nvswitch",       "nvidia_dgx_1",
                           "nvidia_dgx_a100",       "nvidia_dgx_h100",
                           "nvidia_dgx_b200",       "gcp_a3_ultragpu_8g",
                           "azure_nd40rs_v2",       "azure_nd96asr_a100_v4",
                           "azure_nd96isr_h100_v5", "azure_nd96isr_h200_v5",
                           "aws_p4d_24xlarge",      "gcp_a3_megagpu_8g",
                           "aws_p3_16xlarge",       "aws_p3dn_24xlarge",
                           "aws_p5_48xlarge",       "aws_p5en_48xlarge",
                           "aws_p6_b200_48xlarge",  "gcp_a2_highgpu_8g",
                           "gcp_a3_highgpu_8g",     "aws_g6_48xlarge",
                           "gcp_g2_standard_96"}) {
    const auto hardware = read_nccl(name, data_dir);
    ASSERT_TRUE(hardware.has_value()) << hardware.error().text();
    EXPECT_EQ(hardware->hardware.gpu.per_node, 8) << name;
    EXPECT_EQ(refusal(with_cluster("use: " + std::string(name))), "accepted");
  }
  for (const char* name :
       {"nvidia_dgx_2", "aws_g4dn_12xlarge", "l40s_100gbit", "rtx_3090_25gbit", "rtx_4090_10gbit"})
    EXPECT_EQ(refusal(with_cluster("use: " + std::string(name))), "accepted");
  EXPECT_THAT(read_nccl("aws_g5_12xlarge", data_dir).error().text(),
              HasSubstr("`aws_g5_12xlarge` has no key `nccl`; describe its hardware by `nccl: {gpu: "
                        "{compute_capability: ..."));
  const tests::ScratchFolder folder;
  const std::string scenario = folder.write("s.yaml", "cluster: {workers: 8, nccl: {" + plain_a100 + "}}\n");
  EXPECT_THAT(
      read_nccl(scenario, data_dir).error().text(),
      HasSubstr("s.yaml` is a scenario, and a file of a cluster is read; write what its `cluster` holds "
                "into a file of its own"));
}

TEST(NcclKeys, ACollectiveThatNcclsOwnChoiceReplacesIsWarnedOf) {
  const std::string named = with_cluster(two_nodes) + "exchange: {collective: ring_allreduce}\n";
  EXPECT_THAT(study(named).warnings,
              ::testing::Contains(HasSubstr("NCCL chooses the algorithm, and its time is taken in place of "
                                            "`ring_allreduce`; `network: path` takes that")));
  EXPECT_THAT(study(with_cluster(two_nodes)).warnings,
              ::testing::Not(::testing::Contains(HasSubstr("NCCL chooses the algorithm"))));
}

}  // namespace
}  // namespace sim::scenario
