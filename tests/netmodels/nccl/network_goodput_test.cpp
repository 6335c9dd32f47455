// What NCCL reaches of the line rates of interfaces.
#include "netmodels/nccl/network_goodput.hpp"

#include <gtest/gtest.h>

namespace netmodels::nccl {
namespace {

using namespace literals;

constexpr NetworkKind kinds[]{NetworkKind::infiniband, NetworkKind::roce,   NetworkKind::slingshot,
                              NetworkKind::efa,        NetworkKind::socket, NetworkKind::tcpx,
                              NetworkKind::tcpxo};

Network network_of(NetworkKind kind, Bandwidth rate, int nics = 1) {
  Network network;
  network.kind = kind;
  network.rate = rate;
  network.nics_per_node = nics;
  return network;
}

TEST(NetworkGoodput, EveryKindHasClassesThatRiseAndNameTheirSource) {
  for (const NetworkKind kind : kinds) {
    for (const bool gpu_direct : {false, true}) {
      ASSERT_FALSE(goodput_classes(kind, gpu_direct).empty());
      for (const GoodputClass& known : goodput_classes(kind, gpu_direct)) {
        EXPECT_LE(known.shares.low, known.shares.mid);
        EXPECT_LE(known.shares.mid, known.shares.high);
        EXPECT_LE(known.shares.high, 1);
        EXPECT_FALSE(known.source.empty());
      }
    }
  }
}

TEST(NetworkGoodput, OfSocketsFallsWithTheLineRate) {
  const auto share = [](Bandwidth rate) {
    return node_goodput(network_of(NetworkKind::socket, rate), 8).mid.count / rate.count;
  };
  EXPECT_DOUBLE_EQ(share(1_Gbps), .94);
  EXPECT_DOUBLE_EQ(share(10_Gbps), .9);
  EXPECT_DOUBLE_EQ(share(25_Gbps), .72);
  EXPECT_DOUBLE_EQ(share(50_Gbps), .4);
  EXPECT_DOUBLE_EQ(share(100_Gbps), .35);
  EXPECT_DOUBLE_EQ(share(200_Gbps), .2);  // 40 Gbit/s are what a node usually reaches
}

TEST(NetworkGoodput, AtARateOfNoClassIsThatOfTheNearest) {
  EXPECT_DOUBLE_EQ(node_goodput(network_of(NetworkKind::socket, 2_Gbps), 8).mid.count, .94 * .25e9);
  EXPECT_DOUBLE_EQ(node_goodput(network_of(NetworkKind::socket, 3_Gbps), 8).mid.count, .9 * .375e9);
  EXPECT_DOUBLE_EQ(node_goodput(network_of(NetworkKind::efa, 25_Gbps), 8).mid.count, .8 * 3.125e9);
}

TEST(NetworkGoodput, OneGpuReachesLessOfAFastInterface) {
  const Network network = network_of(NetworkKind::roce, 400_Gbps);
  EXPECT_DOUBLE_EQ(node_goodput(network, 1).mid.count, .75 * 50e9);
  EXPECT_DOUBLE_EQ(node_goodput(network, 8).mid.count, .9 * 50e9);
}

TEST(NetworkGoodput, OfDataThroughTheHostIsLess) {
  Network network = network_of(NetworkKind::efa, 100_Gbps);
  EXPECT_DOUBLE_EQ(node_goodput(network, 8).mid.count, .8 * 12.5e9);
  network.gpu_direct = false;
  EXPECT_DOUBLE_EQ(node_goodput(network, 8).mid.count, .65 * 12.5e9);
  network.kind = NetworkKind::roce;
  EXPECT_DOUBLE_EQ(node_goodput(network, 8).mid.count, .63 * 12.5e9);
}

TEST(NetworkGoodput, AMeasuredRateIsAllThatIsKnown) {
  Network network = network_of(NetworkKind::roce, 400_Gbps, 8);
  network.measured_rate = Bandwidth{46e9};
  EXPECT_EQ(node_goodput(network, 8), (Goodput{{368e9}, {368e9}, {368e9}}));
  EXPECT_EQ(interface_goodput(network, 8), Bandwidth{46e9});
}

}  // namespace
}  // namespace netmodels::nccl
