// Descriptions of hardware: what is refused, and in which words.
#include "netmodels/nccl/hardware.hpp"

#include <gtest/gtest.h>

#include "tests/netmodels/nccl/described.hpp"

namespace netmodels::nccl {
namespace {

std::string refusal(const Hardware& hardware) {
  const auto found = validate(hardware);
  return found ? "" : found.error().text();
}

std::string refusal(const Hardware& hardware, const Group& group) {
  const auto found = validate(hardware, group);
  return found ? "" : found.error().text();
}

TEST(NcclHardware, AcceptsTheMachinesOfTheOracle) {
  EXPECT_EQ(refusal(v100_mesh()), "");
  EXPECT_EQ(refusal(switched(80, 12, 8)), "");
}

TEST(NcclHardware, NamesAnUnknownVersion) {
  EXPECT_EQ(refusal(switched(80, 12, 8, "2.17")),
            "version: unknown constants of NCCL `2.17`; accepted: 2.18 to 2.29");
  EXPECT_EQ(refusal(switched(80, 12, 8, "3.1")),
            "version: unknown constants of NCCL `3.1`; accepted: 2.18 to 2.29");
  EXPECT_EQ(refusal(switched(80, 12, 8, "2.x")),
            "version: unknown constants of NCCL `2.x`; accepted: 2.18 to 2.29");
  EXPECT_EQ(*minor_version("2.26.6"), 26);
  EXPECT_TRUE(constants_were_read(26));
  for (const int minor : {20, 22, 25}) EXPECT_TRUE(constants_were_read(minor));
  EXPECT_FALSE(constants_were_read(24));
}

TEST(NcclHardware, NamesAnUnknownComputeCapability) {
  EXPECT_EQ(
      refusal(switched(42, 12, 8)),
      "gpu.compute_capability: unknown compute capability `42`; accepted: 60, 61, 70, 75, 80, 86, 89, 90, "
      "100, 120; for GPUs without NCCL (AMD's run RCCL) give a measured table by `collective_times`");
}

TEST(NcclHardware, RanksThatShareAGpuAreOnANodeEach) {
  Hardware hardware = switched(80, 12, 2);
  hardware.gpu.ranks_per_gpu = 2;
  EXPECT_EQ(most_ranks_of_node(hardware), 1);
  EXPECT_EQ(
      validate(hardware, {.ranks = 2}).error().text(),
      "gpu.ranks_per_gpu: 2 ranks a node share GPUs, and NCCL refuses two of a node on one GPU; give each "
      "rank a node of its own, as distinct NCCL_HOSTID do: 1 rank a node");
  hardware.network = Network{.rate = {12.5e9}};
  EXPECT_TRUE(validate(hardware, {.ranks = 4, .nodes = 4}).has_value());
}

TEST(NcclHardware, NamesAMeshThatIsNotConnected) {
  Hardware hardware = v100_mesh();
  hardware.gpu.per_node = 4;
  hardware.nvlink.mesh = {{0, 1, 2}, {2, 3, 2}};
  EXPECT_EQ(refusal(hardware),
            "nvlink.mesh: the mesh is not connected: no links lead from GPU 0 to GPU 2; join all GPUs of the "
            "node, directly or through others");
}

TEST(NcclHardware, NamesAGpuAboveTheNode) {
  Hardware hardware = v100_mesh();
  hardware.gpu.per_node = 4;
  hardware.nvlink.mesh = {{0, 4, 1}};
  EXPECT_EQ(refusal(hardware),
            "nvlink.mesh: `[0, 4, 1]` names GPU 4, and a node has 4; accepted: GPUs 0 to 3");
  EXPECT_EQ(refusal(switched(80, 12, 8), {.ranks = 9}),
            "gpu.per_node: 9 ranks a node, and a node has 8 GPUs; accepted: up to 8 ranks a node");
}

TEST(NcclHardware, NamesWrongLinksOfAMesh) {
  Hardware hardware = v100_mesh();
  hardware.nvlink.mesh = {{0, 1}};
  EXPECT_EQ(refusal(hardware),
            "nvlink.mesh: `[0, 1]` has 2 numbers; write GPU, GPU, number of links, such as `[0, 3, 2]`");
  hardware.nvlink.mesh = {{1, 1, 2}};
  EXPECT_EQ(refusal(hardware), "nvlink.mesh: `[1, 1, 2]` joins a GPU to itself; name two different GPUs");
  hardware.nvlink.mesh = {{0, 1, 0}};
  EXPECT_EQ(refusal(hardware), "nvlink.mesh: `[0, 1, 0]` has 0 links; accepted: 1 to 36");
  hardware.nvlink.mesh = {{0, 1, 1}, {1, 0, 1}};
  EXPECT_EQ(refusal(hardware),
            "nvlink.mesh: GPUs 1 and 0 are joined twice; write their number of links once");
  hardware.nvlink.fabric = Fabric::none;
  EXPECT_EQ(
      refusal(hardware),
      "nvlink.mesh: links of a mesh are given, and the fabric has none; write `fabric: mesh`, or leave out "
      "`mesh`");
}

TEST(NcclHardware, NamesRatesOfZero) {
  Hardware hardware = switched(90, 18, 8);
  hardware.network = interfaces(8, 0);
  EXPECT_EQ(refusal(hardware), "network.rate: the rate is 0; accepted: a rate above 0");
  hardware.network = interfaces(8, 400);
  hardware.network->measured_rate = Bandwidth{};
  EXPECT_EQ(refusal(hardware),
            "network.measured_rate: the rate is 0; accepted: a rate above 0, or leave it out");
  hardware.network->measured_rate = Bandwidth{51e9};
  EXPECT_EQ(
      refusal(hardware),
      "network.measured_rate: 408 Gbit/s are above the line rate of 400 Gbit/s; write the goodput of one "
      "interface in one direction");
  hardware.network.reset();
  hardware.nvlink.link_rate = Bandwidth{};
  EXPECT_EQ(refusal(hardware), "nvlink.link_rate: the rate is 0; accepted: a rate above 0");
}

TEST(NcclHardware, NamesNumbersOutOfRange) {
  Hardware hardware = switched(90, 0, 8);
  EXPECT_EQ(refusal(hardware), "nvlink.links: `0` is out of range; accepted: 1 to 36");
  hardware = switched(90, 18, 17);
  EXPECT_EQ(refusal(hardware), "gpu.per_node: `17` is out of range; accepted: 1 to 16");
  hardware = switched(90, 18, 8);
  hardware.gpu.per_process = 9;
  EXPECT_EQ(refusal(hardware), "gpu.per_process: `9` is out of range; accepted: 1 to 8");
  hardware.gpu.per_process = 1;
  hardware.pcie.generation = 2;
  EXPECT_EQ(refusal(hardware), "pcie.generation: `2` is out of range; accepted: 3 to 6");
}

TEST(NcclHardware, OnlySwitchesOfHopperAndLaterMulticast) {
  Hardware hardware = switched(80, 12, 8);
  hardware.nvlink.multicast = true;
  EXPECT_EQ(refusal(hardware),
            "nvlink.multicast: GPUs of compute capability 80 do not multicast; accepted from 90 on");
  hardware.nvlink = {.multicast = true};
  EXPECT_EQ(refusal(hardware),
            "nvlink.multicast: only switches multicast; write `fabric: switch`, or leave it out");
  hardware.nvlink = {.links = 4};
  EXPECT_EQ(
      refusal(hardware),
      "nvlink.links: 4 links are given without a fabric that has them; write `fabric: switch` or `fabric: "
      "pairs`, or leave out `links`");
}

TEST(NcclHardware, NamesRanksThatDoNotFit) {
  const Hardware hardware = switched(80, 12, 8);
  EXPECT_EQ(
      refusal(hardware, {.ranks = 16, .nodes = 2}),
      "network: 2 nodes without a network; write for example `network: {kind: roce, nics_per_node: 8, rate: "
      "400 Gbit/s}`");
  EXPECT_EQ(refusal(hardware, {.ranks = 9, .nodes = 2}),
            "ranks: 9 ranks do not fill 2 nodes evenly; a multiple of the number of nodes is accepted");
  EXPECT_EQ(refusal(hardware, {.ranks = 2, .gpus = {0, 8}}),
            "gpu.per_node: GPU 8 of a node with 8; accepted: GPUs 0 to 7");
  EXPECT_EQ(refusal(hardware, {.ranks = 2, .gpus = {3, 3}}),
            "gpu.per_node: 1 different GPUs for 2 ranks a node; name one GPU for each rank of a node");
}

TEST(NcclHardware, NamesMeasuredPointsThatFixNothing) {
  Hardware hardware = switched(80, 12, 8);
  hardware.measured = Measured{};
  EXPECT_EQ(refusal(hardware), "measured.points: no points are given; write at least one");
  hardware.measured->points = {{{8}, {1e-6}}, {{8}, {2e-6}}};
  EXPECT_EQ(refusal(hardware),
            "measured.points: the sizes do not increase; write the smallest size first, each once");
  hardware.measured->points = {{{8}, {}}};
  EXPECT_EQ(refusal(hardware), "measured.points: a size or a time is 0; accepted: sizes and times above 0");
}

TEST(NcclHardware, SuggestsTheNearestOperation) {
  EXPECT_EQ(find_operation("all_redcue").error().text(),
            "unknown operation `all_redcue`; did you mean `all_reduce`? accepted: all_reduce, all_gather, "
            "reduce_scatter, broadcast, reduce, alltoall, send_recv");
}

}  // namespace
}  // namespace netmodels::nccl
