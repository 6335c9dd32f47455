// `collective: auto` against every candidate on random clusters, and on nodes by hand.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "sim/engine/communication_plan.hpp"
#include "tests/arm_parts.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

/// Runs arms on one cluster, which is built once.
class Arms {
 public:
  /// The time of the exchange of the first step, and who carried it.
  StepRecord exchange(scenario::Scenario scenario, std::string_view collective) {
    scenario.exchange.collective = collective;
    std::optional<StepRecord> first;
    Listeners listeners;
    listeners.step = [&](const StepRecord& step) { first = step; };
    (void)simulate(scenario, listeners, shelf_, clusters_).value();
    return *first;
  }

 private:
  LearnerShelf shelf_{tests::source_dir() + "/scenarios"};
  ClusterCache clusters_;
};

/// Numbers that are the same everywhere, unlike those of the standard distributions.
class ClusterDice {
 public:
  explicit ClusterDice(std::uint32_t seed) : random_(seed) {}
  int pick(int count) { return static_cast<int>(random_() % static_cast<std::uint32_t>(count)); }
  /// Evenly spread over orders of magnitude.
  double between(double least, double most) {
    return least * std::pow(most / least, static_cast<double>(random_()) / 4294967296.0);
  }

 private:
  std::mt19937 random_;
};

/// 2 to 64 workers on a star, racks, a fat tree or a torus.
scenario::Cluster random_cluster(ClusterDice& dice) {
  const int leaves = 1 << (1 + dice.pick(3));
  const int groups = 1 + dice.pick(4);
  const int topology = dice.pick(5);
  const int per_node = topology < 2 ? 1 << dice.pick(4) : 1;
  int nodes = std::max(1, std::min(leaves * groups, 64 / per_node));
  if (nodes * per_node == 1) nodes = 2;
  scenario::Cluster cluster = star(nodes * per_node, {dice.between(1e-6, 1e-3)}, {dice.between(1e8, 5e10)});
  cluster.workers_per_node = per_node;
  if (per_node > 1)
    cluster.inner_link = netmodels::LinkState{{dice.between(1e-6, 2e-5)}, {dice.between(5e9, 5e11)}};
  if (topology == 1 && nodes == leaves * groups)
    cluster.topology = scenario::topology("racks", scenario::Racks{leaves * per_node, dice.between(1, 8)});
  if (topology == 2)
    cluster.topology = scenario::topology("racks", scenario::Racks{leaves, dice.between(1, 8)});
  if (topology == 3)
    cluster.topology =
        scenario::topology("fat_tree", scenario::FatTree{{leaves, groups}, {1, 1 + dice.pick(2)}, {1, 1}});
  if (topology == 4) cluster.topology = scenario::topology("torus", scenario::Torus{{leaves, groups}});
  return cluster;
}

/// A gradient of 4 KB to 200 MB, dense or a tenth of it.
scenario::Scenario random_exchange(ClusterDice& dice) {
  scenario::Scenario scenario = plain(2, {}, {1}, 1);
  scenario.cluster = random_cluster(dice);
  for (netmodels::Layer& layer : scenario.work.workload.layers)
    layer.parameters = static_cast<std::int64_t>(dice.between(4e3, 2e8) / 16);
  const std::vector<std::string> methods{"none", "none", "none", "topk", "ar_topk"};
  scenario.exchange.compression = sent_as(methods[static_cast<std::size_t>(dice.pick(5))], 0.1, 0_s);
  return scenario;
}

class AutoChoice : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(AutoChoice, IsNeverMoreThanTwoPercentSlowerThanTheBestCandidate) {
  ClusterDice dice(GetParam());
  for (int count = 0; count < 30; ++count) {
    const scenario::Scenario scenario = random_exchange(dice);
    scenario::Scenario automatic = scenario;
    automatic.exchange.collective = "auto";
    Arms arms;
    const StepRecord chosen = arms.exchange(scenario, "auto");
    const auto workers = static_cast<std::uint32_t>(scenario.cluster.workers);
    for (const netmodels::Collective* row :
         plan_exchange(stated_exchange(step_settings_of(automatic)), workers).candidates) {
      const StepRecord other = arms.exchange(scenario, row->name);
      EXPECT_LE(chosen.exchange_busy, other.exchange_busy * 1.02)
          << chosen.collective << " was chosen in place of " << row->name << " on " << workers << " workers, "
          << scenario.cluster.workers_per_node << " per node";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AutoChoice, ::testing::Range(1U, 11U));

/// 4 nodes of 8 workers that share 3 GB/s, 100 GB/s inside.
scenario::Scenario four_by_eight() {
  scenario::Scenario scenario = plain(32, 20_us, {3e9}, 1);
  scenario.cluster.workers_per_node = 8;
  scenario.cluster.inner_link = netmodels::LinkState{3_us, {100e9}};
  return scenario;
}

TEST(AutoChoice, KnowsThatWorkersOfANodeShareItsLink) {
  Arms arms;
  // 14 (3 us + 2 MB/100 GB/s), and 6 rounds of (20 us + 3 us) in which 8 workers send 0.5 MB each
  // through 3 GB/s
  EXPECT_NEAR(arms.exchange(four_by_eight(), "hierarchical_allreduce").exchange_busy.count,
              14 * 23e-6 + 6 * (23e-6 + 8 * 0.5e6 / 3e9), 1e-9);
  EXPECT_EQ(arms.exchange(four_by_eight(), "auto").collective, "hierarchical_allreduce");
}

TEST(AutoChoice, ARingOverNodesKeepsTheLinksBetweenThemBusy) {
  Arms arms;
  // 62 chunks of 0.5 MB through 3 GB/s, and the latency of one
  EXPECT_NEAR(arms.exchange(four_by_eight(), "ring_allreduce").exchange_busy.count, 62 * 0.5e6 / 3e9 + 23e-6,
              1e-9);
}

TEST(AutoChoice, ATreeOverNodesSumsInsideThemFirst) {
  Arms arms;
  // 16 MB three times inside a node and twice between nodes, and back
  EXPECT_NEAR(arms.exchange(four_by_eight(), "tree_allreduce").exchange_busy.count,
              2 * (3 * (3e-6 + 16e6 / 100e9) + 2 * (23e-6 + 16e6 / 3e9)), 1e-9);
}

TEST(AutoChoice, GathersInTwoLevelsOnNodes) {
  scenario::Scenario scenario = four_by_eight();
  scenario.exchange.compression = sent_as("topk", 0.1, 0_s);
  Arms arms;
  EXPECT_EQ(arms.exchange(scenario, "auto").collective, "hierarchical_allgather");
}

TEST(AutoChoice, KeepsToClosedFormsWhereReadingsHaveNoise) {  // one link between any two, as far as it knows
  scenario::Scenario scenario = four_by_eight();
  scenario.exchange.probe.noise = 1e-9;
  Arms arms;
  EXPECT_EQ(arms.exchange(scenario, "auto").collective, "halving_doubling_allreduce");
  scenario.exchange.probe.oracle = true;
  EXPECT_EQ(arms.exchange(scenario, "auto").collective, "hierarchical_allreduce");
}

TEST(AutoChoice, TakesWhatTheNamedEvaluatorCanEvaluate) {  // halving-doubling shares links of a node
  scenario::Scenario scenario = four_by_eight();
  scenario.simulation.evaluator = scenario::Evaluator::path;
  Arms arms;
  EXPECT_EQ(arms.exchange(scenario, "auto").collective, "ring_allreduce");
}

}  // namespace
}  // namespace sim::engine
