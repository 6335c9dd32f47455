// The table of links and the order of hosts; the path evaluator against SimGrid on every topology.
#include "sim/engine/platform.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "netmodels/collective.hpp"
#include "netmodels/path.hpp"
#include "sim/engine/simgrid_evaluator.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

const PlatformLink& named(const Platform& platform, const std::string& name) {
  return *std::ranges::find(platform.links(), name, &PlatformLink::name);
}

TEST(Platform, HostsStandInRankOrderAlsoBeyondNine) {
  const auto platform = std::move(*Platform::make(star(12, 1_ms, 1_Gbps)));
  for (std::uint32_t worker = 0; worker < 12; ++worker) {
    EXPECT_EQ(platform->host_name(worker), "worker" + std::to_string(worker));
  }
}

TEST(Platform, LinksStandInNaturalOrder) {
  const auto platform = std::move(*Platform::make(star(12, 1_ms, 1_Gbps)));
  EXPECT_EQ(platform->links().front().name, "worker0_DOWN");
  EXPECT_EQ(platform->links()[4].name, "worker2_DOWN");
  EXPECT_EQ(platform->links().back().name, "worker11_UP");
}

TEST(Platform, LinksKnowTheirRoleAndWhoseTheyAre) {
  scenario::Cluster cluster = star(8, 1_ms, 1_Gbps);
  cluster.workers_per_node = 2;
  cluster.inner_link = netmodels::LinkState{1_us, 100_Gbps};
  cluster.topology = scenario::topology("racks", scenario::Racks{4, 1});
  const auto platform = std::move(*Platform::make(cluster));
  EXPECT_EQ(named(*platform, "node1_UP").role, LinkRole::worker);
  EXPECT_EQ(named(*platform, "node1_UP").workers, (std::vector<int>{2, 3}));
  EXPECT_EQ(named(*platform, "worker5_DOWN").role, LinkRole::inner);
  EXPECT_EQ(named(*platform, "worker5_DOWN").workers, std::vector<int>{5});
  EXPECT_EQ(named(*platform, "rack0_DOWN").role, LinkRole::trunk);
  EXPECT_EQ(named(*platform, "rack0_DOWN").workers, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Platform, ALatencyIsSharedByTwoLinksOnAStarAndPaidPerHopElsewhere) {
  EXPECT_EQ((*Platform::make(star(2, 1_ms, 1_Gbps)))->links()[0].latency_factor, 0.5);
  scenario::Cluster cluster = star(4, 1_ms, 1_Gbps);
  cluster.topology = scenario::topology("torus", scenario::Torus{{4}});
  EXPECT_EQ((*Platform::make(cluster))->links()[0].latency_factor, 1);
}

TEST(Platform, PresetsReachNominalStatesAndLaterChanges) {  // LV08: latency x 13.01, bandwidth x 0.97
  scenario::Cluster cluster = star(2, 1_ms, 1_Gbps);
  cluster.preset = scenario::NetworkPreset::tcp_lv08;
  const auto platform = std::move(*Platform::make(cluster));
  EXPECT_EQ(platform->preset(), scenario::NetworkPreset::tcp_lv08);
  EXPECT_NEAR(platform->links()[0].latency_factor, 0.5 * 13.01, 1e-15);
  EXPECT_EQ(platform->links()[0].bandwidth_factor, 0.97);
}

TEST(Platform, OneAfterTheOtherInOneProcessStartsAfresh) {
  for (int workers = 2; workers < 6; ++workers) {
    const auto platform = std::move(*Platform::make(star(workers, 1_ms, 1_Gbps)));
    EXPECT_EQ(platform->workers(), static_cast<std::uint32_t>(workers));
    EXPECT_EQ(platform->links().size(), 2U * static_cast<std::size_t>(workers));
  }
}

TEST(Platform, ARouteIsTheSameWheneverItIsAsked) {
  const auto platform = std::move(*Platform::make(star(3, 1_ms, 1_Gbps)));
  const netmodels::Route& first = platform->route(0, 2);
  const netmodels::Route copy = first;
  (void)platform->route(0, 1);
  EXPECT_EQ(&platform->route(0, 2), &first);
  EXPECT_EQ(platform->route(0, 2), copy);
}

scenario::Cluster cluster_of(scenario::TopologyChoice topology) {
  scenario::Cluster cluster = star(8, 1_ms, 10_Gbps);
  cluster.topology = std::move(topology);
  return cluster;
}

/// Eight workers in each of the topologies that are built.
scenario::TopologyChoice of_eight(const std::string& name) {
  for (const scenario::TopologyChoice& choice :
       {scenario::TopologyChoice(), scenario::topology("racks", scenario::Racks{4, 1}),
        scenario::topology("wan", scenario::Wan{{{"paris", 4, 1_Gbps, 10_ms}, {"rome", 4, 2_Gbps, 20_ms}}}),
        scenario::topology("fat_tree", scenario::FatTree{{4, 2}, {1, 4}, {1, 1}}),
        scenario::topology("dragonfly", scenario::Dragonfly{2, 2, 2, 1}),
        scenario::topology("torus", scenario::Torus{{8}})}) {
    if (choice.name() == name) return choice;
  }
  ADD_FAILURE() << name << " has no example";
  return {};
}

/// Names of the topologies that are not loaded from a file.
std::vector<std::string> built_topologies() {
  std::vector<std::string> names;
  for (const scenario::TopologyRow& row : scenario::topologies()) {
    if (row.file == nullptr) names.emplace_back(row.name);
  }
  return names;
}

class EveryTopology : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryTopology,
       TheLongestPathIsSimGridsTimeWhereNoLinkIsShared) {  // a ring has one message a way on each
  const auto platform = std::move(*Platform::make(cluster_of(of_eight(GetParam()))));
  const netmodels::NetworkState state = nominal(*platform);
  SimGridEvaluator simgrid(*platform);
  int evaluated = 0;
  for (const char* name : {"ring_allreduce", "ring_allgather", "binomial_broadcast", "pipelined_broadcast"}) {
    const auto schedule = (*netmodels::find_collective(name))->schedule({8, 8_MB});
    const auto path = netmodels::RoutedSchedule(schedule, routes_of(*platform)).evaluate(state);
    if (!path) continue;
    ++evaluated;
    const double reference = simgrid.evaluate(schedule, everyone(8), state)->duration.count;
    EXPECT_NEAR(path->duration.count, reference, 1e-9 * reference) << name;
  }
  EXPECT_GE(evaluated, 1);
}

INSTANTIATE_TEST_SUITE_P(Topologies, EveryTopology, ::testing::ValuesIn(built_topologies()));

TEST(Topologies, ARingOnATorusPaysOneHopPerMessage) {  // 14 (1 ms + 1 MB / 1.25 GB/s)
  const auto platform = std::move(*Platform::make(cluster_of(of_eight("torus"))));
  const auto ring = (*netmodels::find_collective("ring_allreduce"))->schedule({8, 8_MB});
  EXPECT_NEAR(SimGridEvaluator(*platform).evaluate(ring, everyone(8), nominal(*platform))->duration.count,
              14 * 1.8e-3, 1e-12);
}

TEST(Topologies,
     AnOversubscribedUplinkIsSharedFairly) {  // four workers of a rack send at once through 10 Gbit/s
  scenario::Cluster cluster = cluster_of(scenario::topology("racks", scenario::Racks{4, 4}));
  const auto platform = std::move(*Platform::make(cluster));
  const netmodels::Schedule across{8, {{{{{0, 4, 10_MB}, {1, 5, 10_MB}, {2, 6, 10_MB}, {3, 7, 10_MB}}}, 1}}};
  EXPECT_NEAR(SimGridEvaluator(*platform).evaluate(across, everyone(8), nominal(*platform))->duration.count,
              2e-3 + 4 * 8e-3, 1e-12);
}

}  // namespace
}  // namespace sim::engine
