// Topologies as SimGrid builds them: how many hops a way has, and who shares which link.
#include <algorithm>

#include <gtest/gtest.h>

#include "sim/engine/platform.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

/// Routes of a cluster with 1 ms and 10 Gbit/s by link names.
class Zones : public ::testing::Test {
 protected:
  void begin() { platform_ = std::move(*Platform::make(cluster_)); }
  std::vector<std::string> names(std::uint32_t from, std::uint32_t to) const {
    std::vector<std::string> way;
    for (const netmodels::LinkId id : platform_->route(from, to)) way.push_back(platform_->links()[id].name);
    return way;
  }
  double latency(std::uint32_t from, std::uint32_t to) const {
    double sum = 0;
    for (const netmodels::LinkId id : platform_->route(from, to))
      sum += platform_->links()[id].nominal.latency.count;
    return sum;
  }
  netmodels::Bandwidth narrowest(std::uint32_t from, std::uint32_t to) const {
    netmodels::Bandwidth narrow = 1_Gbps * 1e6;
    for (const netmodels::LinkId id : platform_->route(from, to)) {
      narrow = std::min(narrow, platform_->links()[id].nominal.bandwidth);
    }
    return narrow;
  }
  bool share_a_link(std::pair<int, int> one, std::pair<int, int> other) const {
    const auto& first =
        platform_->route(static_cast<std::uint32_t>(one.first), static_cast<std::uint32_t>(one.second));
    const auto& second =
        platform_->route(static_cast<std::uint32_t>(other.first), static_cast<std::uint32_t>(other.second));
    return std::ranges::any_of(
        first, [&](netmodels::LinkId id) { return std::ranges::find(second, id) != second.end(); });
  }

  scenario::Cluster cluster_ = star(8, 1_ms, 10_Gbps);
  std::unique_ptr<Platform> platform_;
};

using Names = std::vector<std::string>;

TEST_F(Zones, AStarGoesUpAndDownInTheStatedLatency) {
  begin();
  EXPECT_EQ(names(2, 5), (Names{"worker2_UP", "worker5_DOWN"}));
  EXPECT_DOUBLE_EQ(latency(2, 5), 1e-3);
  EXPECT_FALSE(share_a_link({2, 5}, {5, 2}));
  EXPECT_TRUE(share_a_link({2, 5}, {3, 5}));
}

TEST_F(Zones, AWorkerMayHaveALinkOfItsOwnKind) {
  cluster_.worker_links = {{{3, 4}, {20_ms, 1_Gbps}}};
  begin();
  EXPECT_DOUBLE_EQ(latency(2, 3), 0.5e-3 + 10e-3);
  EXPECT_DOUBLE_EQ(latency(3, 4), 20e-3);
  EXPECT_EQ(narrowest(2, 4), 1_Gbps);
  EXPECT_EQ(narrowest(2, 5), 10_Gbps);
}

TEST_F(Zones, WorkersOfANodeShareItsLinkAndMeetInside) {
  cluster_.workers_per_node = 4;
  cluster_.inner_link = netmodels::LinkState{10_us, 100_Gbps};
  begin();
  EXPECT_EQ(names(0, 3), (Names{"worker0_UP", "worker3_DOWN"}));
  EXPECT_DOUBLE_EQ(latency(0, 3), 10e-6);
  EXPECT_EQ(narrowest(0, 3), 100_Gbps);
  EXPECT_EQ(names(1, 6), (Names{"worker1_UP", "node0_UP", "node1_DOWN", "worker6_DOWN"}));
  EXPECT_NEAR(latency(1, 6), 1.01e-3, 1e-15);
  EXPECT_EQ(narrowest(1, 6), 10_Gbps);
  EXPECT_TRUE(share_a_link({1, 6}, {2, 7}));
}

TEST_F(Zones, RacksMeetInAnOversubscribedUplink) {  // four workers of 10 Gbit/s behind 4 x 10 / 8
  cluster_.topology = scenario::topology("racks", scenario::Racks{4, 8});
  begin();
  EXPECT_EQ(names(0, 3), (Names{"worker0_UP", "worker3_DOWN"}));
  EXPECT_EQ(names(0, 4), (Names{"worker0_UP", "rack0_UP", "rack1_DOWN", "worker4_DOWN"}));
  EXPECT_DOUBLE_EQ(latency(0, 3), 1e-3);
  EXPECT_DOUBLE_EQ(latency(0, 4), 2e-3);
  EXPECT_EQ(narrowest(0, 4), 5_Gbps);
  EXPECT_TRUE(share_a_link({0, 4}, {1, 5}));
}

TEST_F(Zones, AnUplinkOfARackOfNodesCountsNodes) {  // two nodes of 10 Gbit/s, not oversubscribed
  cluster_.workers_per_node = 2;
  cluster_.inner_link = netmodels::LinkState{10_us, 100_Gbps};
  cluster_.topology = scenario::topology("racks", scenario::Racks{4, 1});
  begin();
  EXPECT_EQ(names(1, 6),
            (Names{"worker1_UP", "node0_UP", "rack0_UP", "rack1_DOWN", "node3_DOWN", "worker6_DOWN"}));
  for (const PlatformLink& link : platform_->links()) {
    EXPECT_TRUE(link.name != "rack0_UP" || link.nominal.bandwidth == 20_Gbps);
  }
}

TEST_F(Zones, NodesOfASiteAreLeftByTheirOwnLink) {
  cluster_.workers_per_node = 2;
  cluster_.inner_link = netmodels::LinkState{10_us, 100_Gbps};
  cluster_.topology =
      scenario::topology("wan", scenario::Wan{{{"paris", 6, 1_Gbps, 10_ms}, {"rome", 2, 2_Gbps, 20_ms}}});
  begin();
  EXPECT_EQ(names(5, 6),
            (Names{"worker5_UP", "node2_UP", "paris_UP", "rome_DOWN", "node3_DOWN", "worker6_DOWN"}));
  EXPECT_EQ(names(1, 4), (Names{"worker1_UP", "node0_UP", "node2_DOWN", "worker4_DOWN"}));
}

TEST_F(Zones, SitesPayBothTheirAccessesOnTheWay) {
  cluster_.workers = 4;
  cluster_.topology =
      scenario::topology("wan", scenario::Wan{{{"paris", 3, 1_Gbps, 10_ms}, {"rome", 1, 2_Gbps, 20_ms}}});
  begin();
  EXPECT_EQ(names(0, 3), (Names{"worker0_UP", "paris_UP", "rome_DOWN", "worker3_DOWN"}));
  EXPECT_NEAR(latency(0, 3), 0.031, 1e-15);
  EXPECT_EQ(narrowest(0, 3), 1_Gbps);
  EXPECT_DOUBLE_EQ(latency(0, 2), 1e-3);
}

TEST_F(Zones, AFatTreePaysEveryHop) {  // two leaves of two below two roots
  cluster_.workers = 4;
  cluster_.topology = scenario::topology("fat_tree", scenario::FatTree{{2, 2}, {1, 2}, {1, 1}});
  begin();
  EXPECT_DOUBLE_EQ(latency(0, 1), 2e-3);
  EXPECT_DOUBLE_EQ(latency(0, 2), 4e-3);
  EXPECT_EQ(narrowest(0, 2), 10_Gbps);
  EXPECT_FALSE(share_a_link({0, 2}, {1, 3}));  // each direction has its own root
}

TEST_F(Zones, AFatTreeWithOneRootIsOversubscribed) {
  cluster_.workers = 4;
  cluster_.topology = scenario::topology("fat_tree", scenario::FatTree{{2, 2}, {1, 1}, {1, 1}});
  begin();
  EXPECT_TRUE(share_a_link({0, 2}, {1, 3}));
}

TEST_F(Zones, ADragonflyGoesByRouterChassisAndGroup) {  // 2 groups x 2 chassis x 2 routers x 1 node
  cluster_.topology = scenario::topology("dragonfly", scenario::Dragonfly{2, 2, 2, 1});
  begin();
  EXPECT_DOUBLE_EQ(latency(0, 1), 3e-3);      // up, green, down
  EXPECT_DOUBLE_EQ(latency(0, 2), 3e-3);      // up, black, down
  EXPECT_DOUBLE_EQ(latency(0, 3), 4e-3);      // up, green, black, down
  EXPECT_DOUBLE_EQ(latency(1, 4), 3e-3);      // up, blue, down
  EXPECT_DOUBLE_EQ(latency(0, 7), 6e-3);      // up, green, blue, green, black, down
  EXPECT_TRUE(share_a_link({0, 4}, {1, 5}));  // one blue link between groups
}

TEST_F(Zones, ATorusTakesTheShorterWayRound) {
  cluster_.topology = scenario::topology("torus", scenario::Torus{{8}});
  begin();
  EXPECT_DOUBLE_EQ(latency(0, 1), 1e-3);
  EXPECT_DOUBLE_EQ(latency(0, 4), 4e-3);
  EXPECT_DOUBLE_EQ(latency(0, 6), 2e-3);
  EXPECT_FALSE(share_a_link({0, 1}, {1, 0}));
  EXPECT_TRUE(share_a_link({0, 2}, {1, 3}));
}

TEST_F(Zones, ATorusOfTwoDimensionsGoesAlongBoth) {
  cluster_.workers = 6;
  cluster_.topology = scenario::topology("torus", scenario::Torus{{3, 2}});
  begin();
  EXPECT_DOUBLE_EQ(latency(0, 3), 1e-3);
  EXPECT_DOUBLE_EQ(latency(0, 4), 2e-3);
  EXPECT_DOUBLE_EQ(latency(0, 5), 2e-3);
}

TEST_F(Zones, FewerWorkersThanPlacesTakeTheFirst) {
  cluster_.workers = 3;
  cluster_.topology = scenario::topology("torus", scenario::Torus{{4, 4}});
  begin();
  EXPECT_EQ(platform_->workers(), 3U);
  EXPECT_EQ(platform_->host_name(2), "worker2");
  EXPECT_EQ(platform_->links().size(), 2U * 2 * 16);
}

}  // namespace
}  // namespace sim::engine
