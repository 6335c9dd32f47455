// Channels: rings on any GPUs of a mesh, and the goldens of switches and networks.
#include "netmodels/nccl/graph.hpp"

#include <gtest/gtest.h>

#include "netmodels/nccl/mesh.hpp"
#include "tests/netmodels/nccl/described.hpp"

namespace netmodels::nccl {
namespace {

Graphs of_ranks(const Hardware& hardware, std::uint32_t ranks, std::uint32_t nodes = 1) {
  return find_graphs(hardware, {.ranks = ranks, .nodes = nodes});
}

TEST(NcclGraph, RingsOnTheFirstGpusOfADgx1) {  // 2.26.6 finds 1, 2, 4, 2 by a neighbour, 2, 4, 6 rings
  const std::vector<int> rings{1, 2, 4, 2, 2, 4, 6};
  for (std::uint32_t ranks = 2; ranks <= 8; ++ranks) {
    const Graphs graphs = of_ranks(v100_mesh(), ranks);
    EXPECT_EQ(graphs.ring.channels, rings[ranks - 2]) << ranks;
    EXPECT_DOUBLE_EQ(graphs.ring.inside.count, 20e9) << ranks;
    EXPECT_EQ(graphs.through_neighbour, ranks == 5) << ranks;
    EXPECT_TRUE(graphs.nvlink);
  }
}

TEST(NcclGraph, RingsDependOnWhichGpusTakePart) {
  const auto rings = [](std::vector<int> gpus) {
    const auto ranks = static_cast<std::uint32_t>(gpus.size());
    return find_graphs(v100_mesh(), {.ranks = ranks, .gpus = std::move(gpus)});
  };
  EXPECT_EQ(rings({0, 3}).ring.channels, 2);  // two links
  EXPECT_EQ(rings({0, 1}).ring.channels, 1);
  EXPECT_FALSE(rings({0, 7}).nvlink);               // no link: PCIe
  EXPECT_EQ(rings({0, 3, 4, 7}).ring.channels, 2);  // 0-3-7-4: one link from 3 to 7, either way
}

TEST(NcclGraph, AThreeGpuRingUsesEachLinkBothWays) {
  const Mesh mesh({{0, 1, 1}, {1, 2, 1}, {0, 2, 1}}, {0, 1, 2});
  EXPECT_EQ(pack(mesh, Walk::rings, 32), 2);
  EXPECT_EQ(pack(mesh, Walk::rings, 1), 1);
  EXPECT_EQ(pack(mesh, Walk::chains, 32), 2);  // of the three links of one direction, a chain takes two
}

TEST(NcclGraph, AStarHasNoRingButOneThroughItsCentre) {
  const Mesh mesh({{0, 1, 1}, {0, 2, 1}}, {0, 1, 2});
  EXPECT_EQ(pack(mesh, Walk::rings, 32), 0);
  EXPECT_EQ(pack(mesh, Walk::chains, 32), 2);              // 1-0-2 and back
  EXPECT_EQ(pack(mesh, Walk::rings_by_neighbour, 32), 1);  // 0-1, 1-0-2, 2-0
}

TEST(NcclGraph, FourGpusEachJoinedBySixLinksHaveAsManyRingsAsLinks) {  // GH200 of Alps
  std::vector<std::vector<int>> links;
  for (int a = 0; a < 4; ++a) {
    for (int b = a + 1; b < 4; ++b) links.push_back({a, b, 6});
  }
  EXPECT_EQ(pack(Mesh(links, {0, 1, 2, 3}), Walk::rings, 32), 18);
}

TEST(NcclGraph, SwitchesGiveChannelsByRate) {
  const Graphs a100 = of_ranks(switched(80, 12, 8), 8);
  EXPECT_EQ(a100.ring.channels, 12);
  EXPECT_DOUBLE_EQ(a100.ring.inside.count, 20e9);
  EXPECT_EQ(a100.channels, 24);
  Hardware h100 = switched(90, 18, 8);
  h100.nvlink.multicast = true;
  const Graphs eight = of_ranks(h100, 8);
  EXPECT_EQ(eight.ring.channels, 12);
  EXPECT_DOUBLE_EQ(eight.ring.inside.count, 30e9);
  EXPECT_EQ(eight.nvls.channels, 8);
  EXPECT_DOUBLE_EQ(eight.nvls.inside.count, 40e9);
  EXPECT_EQ(eight.nvls_channels, 16);
}

TEST(NcclGraph, NetworksBoundChannels) {
  Hardware hardware = switched(90, 18, 8);
  hardware.network = interfaces(8, 200);
  const Graphs slow = of_ranks(hardware, 16, 2);
  EXPECT_EQ(slow.ring.channels, 8);
  EXPECT_DOUBLE_EQ(slow.ring.between.count, 24e9);
  EXPECT_DOUBLE_EQ(slow.tree.inside.count, 48e9);
  EXPECT_EQ(slow.channels, 16);
}

TEST(NcclGraph, PairsAreJoinedOnlyInside) {
  Hardware hardware = switched(80, 12, 4);
  hardware.nvlink.fabric = Fabric::pairs;
  EXPECT_TRUE(of_ranks(hardware, 2).nvlink);
  EXPECT_FALSE(of_ranks(hardware, 4).nvlink);
  EXPECT_FALSE(find_graphs(hardware, {.ranks = 2, .gpus = {1, 2}}).nvlink);
}

TEST(NcclMesh, TheBusiestLinkCarriesWhatPairsWithoutALinkSend) {
  const Mesh line({{0, 1, 1}, {1, 2, 2}}, {0, 1, 2});
  const std::vector<double> all{0, 1, 1, 1, 0, 1, 1, 1, 0};
  EXPECT_DOUBLE_EQ(*busiest_link(line, all, 1.5), 2.5);  // from 0 to 1: its part, and that of 2
  const std::vector<double> next{0, 1, 0, 0, 0, 4, 0, 0, 0};
  EXPECT_DOUBLE_EQ(*busiest_link(line, next, 1.5), 2);  // from 1 to 2, on two links
  EXPECT_FALSE(
      busiest_link(Mesh({{0, 1, 1}, {1, 2, 1}, {2, 3, 1}}, {0, 1, 2, 3}), std::vector<double>(16, 1.), 1));
}

}  // namespace
}  // namespace netmodels::nccl
