// State shared by equal clusters, and that results do not depend on other runs.
#include "sim/engine/cluster_cache.hpp"

#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/source_tree.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

TEST(ClusterCache, KeepsAClusterForAnEqualOneWhateverHappensOnIt) {
  ClusterCache clusters;
  const auto first = clusters.find(star(4, 1_ms, 1_Gbps)).value();
  scenario::Cluster changing = star(4, 1_ms, 1_Gbps);
  changing.changes = {at_time(1_s, 2_Gbps)};
  EXPECT_EQ(clusters.find(changing).value(), first);
}

TEST(ClusterCache, BuildsAnotherWhereAnythingOfTheLinksDiffers) {
  ClusterCache clusters;
  const SharedCluster* first = clusters.find(star(4, 1_ms, 1_Gbps)).value().get();
  const auto collective =
      clusters.find(star(4, 1_ms, 1_Gbps))
          .value()
          ->collective(**netmodels::find_collective("ring_allreduce"), {4, 1_MB}, {0, 1, 2, 3});
  EXPECT_EQ(first->platform().links().front().nominal.bandwidth, 1_Gbps);
  EXPECT_EQ(clusters.find(star(4, 1_ms, 2_Gbps)).value()->platform().links().front().nominal.bandwidth,
            2_Gbps);
  EXPECT_EQ(clusters.find(star(5, 1_ms, 2_Gbps)).value()->platform().workers(), 5U);
  EXPECT_EQ(collective->workers.size(), 4U);  // who holds it may go on reading it
}

TEST(ClusterCache, HandsOnWhyAClusterCannotBeBuilt) {
  scenario::Cluster cluster = star(2, 1_ms, 1_Gbps);
  cluster.topology = scenario::topology("platform", scenario::PlatformFile{"/nowhere.xml", {}});
  ClusterCache clusters;
  EXPECT_FALSE(clusters.find(cluster).has_value());
}

TEST(SharedCluster, KnowsACollectiveByRowOperationAndWorkers) {
  ClusterCache clusters;
  const auto cluster = clusters.find(star(4, 1_ms, 1_Gbps)).value();
  const netmodels::Collective& ring = **netmodels::find_collective("ring_allreduce");
  const auto known = cluster->collective(ring, {4, 1_MB}, {0, 1, 2, 3});
  EXPECT_EQ(cluster->collective(ring, {4, 1_MB}, {0, 1, 2, 3}), known);
  EXPECT_NE(cluster->collective(ring, {4, 2_MB}, {0, 1, 2, 3}), known);
  EXPECT_NE(cluster->collective(ring, {3, 1_MB}, {0, 1, 3}), known);
  EXPECT_NE(cluster->collective(**netmodels::find_collective("tree_allreduce"), {4, 1_MB}, {0, 1, 2, 3}),
            known);
}

TEST(SharedCluster,
     ForgetsTheOldestCollectivesWhereSchedulesTakeMuchMemory) {  // 4096 messages in each of 12 rounds
  ClusterCache clusters;
  const auto cluster = clusters.find(star(4096, 1_ms, 1_Gbps)).value();
  const netmodels::Collective& doubling = **netmodels::find_collective("recursive_doubling_allgather");
  std::vector<std::uint32_t> workers(4096);
  std::iota(workers.begin(), workers.end(), 0U);
  const std::weak_ptr<SharedCollective> first = cluster->collective(doubling, {4096, 1_MB}, workers);
  std::size_t others = 0;
  for (; !first.expired() && others < 100; ++others)
    (void)cluster->collective(doubling, {4096, netmodels::Bytes{1e6 + static_cast<double>(others)}}, workers);
  EXPECT_GT(others, 8U);
  EXPECT_LT(others, 30U);
}

ArmResult run_on(const scenario::Scenario& scenario, ClusterCache& clusters) {
  LearnerShelf shelf(tests::source_dir() + "/scenarios");
  return simulate(scenario, {}, shelf, clusters).value();
}

void expect_same(const ArmResult& one, const ArmResult& other) {
  EXPECT_EQ(one.time, other.time);
  EXPECT_EQ(one.whole.exchange_busy, other.whole.exchange_busy);
  EXPECT_EQ(one.evaluators.path, other.evaluators.path);
  EXPECT_EQ(one.evaluators.simgrid, other.evaluators.simgrid);
  EXPECT_EQ(one.evaluators.reused, other.evaluators.reused);
  EXPECT_EQ(one.evaluators.closed, other.evaluators.closed);
}

TEST(SharedCluster, ARunCountsAndTakesTheSameWhoeverRanBeforeIt) {
  scenario::Scenario scenario = layer_by_layer(8, 1_ms, 1_Gbps, 30);
  scenario.cluster.changes = {at_time(1_s, 2_Gbps), at_time(2_s, 1_Gbps)};
  const ArmResult alone = result_of(scenario);
  ClusterCache shared;
  (void)run_on(scenario, shared);
  expect_same(run_on(scenario, shared), alone);
  EXPECT_GT(alone.evaluators.path, 0U);
}

TEST(SharedCluster, SoDoesOneWhoseMessagesMeet) {  // two workers behind each uplink
  scenario::Scenario scenario = layer_by_layer(4, 1_ms, 1_Gbps, 10);
  scenario.cluster.topology = scenario::topology("racks", scenario::Racks{2, 2});
  scenario.exchange.collective = "recursive_doubling_allreduce";
  const ArmResult alone = result_of(scenario);
  ClusterCache shared;
  (void)run_on(scenario, shared);
  const ArmResult after = run_on(scenario, shared);
  expect_same(after, alone);
  EXPECT_GT(alone.evaluators.simgrid, 0U);
}

}  // namespace
}  // namespace sim::engine
