// Which collectives a step needs: sizes by hand, helpers, and who may be chosen.
#include <algorithm>

#include <gtest/gtest.h>

#include "sim/engine/communication_plan.hpp"
#include "tests/arm_parts.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using netmodels::CollectiveKind;

scenario::Scenario scenario_with(const std::string& method, const std::string& collective) {
  scenario::Scenario scenario = plain(4, 1_ms, 1_Gbps, 1);
  scenario.exchange.compression.method = method;
  scenario.exchange.compression.ratio = 0.01;
  scenario.exchange.collective = collective;
  return scenario;
}

ExchangePlan planned(const scenario::Scenario& scenario, std::uint32_t workers) {
  return plan_exchange(stated_exchange(step_settings_of(scenario)), workers);
}

bool has(const ExchangePlan& plan, std::string_view name) {
  return std::ranges::find(plan.candidates, name, &netmodels::Collective::name) != plan.candidates.end();
}

TEST(ExchangePlan, AWholeGradientIsOneOperationOfAllItsBytes) {
  const ExchangePlan plan = planned(scenario_with("none", "ring_allreduce"), 4);
  ASSERT_EQ(plan.buckets.size(), 1U);
  ASSERT_EQ(plan.open_operations.size(), 1U);
  EXPECT_EQ(plan.open_operations[0].size, 16_MB);
  EXPECT_EQ(plan.open_operations[0].ranks, 4U);
  ASSERT_EQ(plan.candidates.size(), 1U);
  EXPECT_EQ(plan.candidates[0]->name, "ring_allreduce");
}

TEST(ExchangePlan, DenseGradientsAreSentInTheirStatedWidth) {
  scenario::Scenario scenario = scenario_with("none", "ring_allreduce");
  scenario.work.parallelism.gradient_bytes = 2;
  EXPECT_EQ(planned(scenario, 4).open_operations.at(0).size, 8_MB);
  scenario.exchange.compression.method = "bf16";  // has its own width
  EXPECT_EQ(planned(scenario, 4).open_operations.at(0).size, 8_MB);
}

TEST(ExchangePlan, TheChoiceMayBeNarrowed) {
  scenario::Scenario scenario = scenario_with("topk", "auto");
  scenario.exchange.among = {"ring_allgather", "ar_topk_ring", "ar_topk_tree"};
  const auto names = [&](const std::string& method) {
    scenario.exchange.compression.method = method;
    std::string all;
    for (const netmodels::Collective* row : planned(scenario, 4).candidates)
      all += std::string(row->name) + " ";
    return all;
  };
  EXPECT_EQ(names("topk"), "ring_allgather ");
  EXPECT_EQ(names("ar_topk"), "ar_topk_ring ar_topk_tree ");
  scenario.exchange.among = {"ring_allgather"};
  EXPECT_GT(names("ar_topk").size(), 100U);  // nothing of them fits: all that do
}

TEST(ExchangePlan, BucketsComeInTheOrderInWhichTheyAreReady) {
  const ExchangePlan plan = planned(layer_by_layer(4, 1_ms, 1_Gbps, 1), 4);
  ASSERT_EQ(plan.buckets.size(), 4U);
  EXPECT_EQ(plan.buckets.front().bucket.lowest_layer, 3U);
  EXPECT_EQ(plan.buckets.back().bucket.lowest_layer, 0U);
  for (const netmodels::Operation& operation : plan.open_operations) EXPECT_EQ(operation.size, 4_MB);
}

TEST(ExchangePlan, OneWorkerExchangesNothing) {
  const ExchangePlan plan = planned(scenario_with("topk", "auto"), 1);
  ASSERT_EQ(plan.buckets.size(), 1U);
  EXPECT_TRUE(plan.buckets[0].stages.empty());
  EXPECT_TRUE(plan.open_operations.empty());
}

TEST(ExchangePlan,
     AnAllGatherCountsTheTotalOfAllWorkers) {  // 40000 values and indices of 4 bytes from each of four
  const ExchangePlan plan = planned(scenario_with("topk", "ring_allgather"), 4);
  EXPECT_EQ(plan.open_operations[0].size.count, 4 * 320000.0);
}

// 976 tiles of 4096 values and one of 2304: 41 (40.96) coefficients of six bytes each, of the last one 23.
TEST(ExchangePlan, TheLastTileSendsAsManyCoefficientsOrInProportion) {
  scenario::Scenario scenario = scenario_with("dct_topk", "table_one_allgather");
  EXPECT_EQ(planned(scenario, 4).open_operations.at(0).size.count, 6 * 977 * 41);
  scenario.exchange.compression.topk_per_tile = scenario::TileTopK::proportional;
  EXPECT_EQ(planned(scenario, 4).open_operations.at(0).size.count, 6 * (976 * 41 + 23));
}

TEST(ExchangePlan, APrintedAllGatherCountsOneContribution) {
  const ExchangePlan plan = planned(scenario_with("topk", "table_one_allgather"), 4);
  EXPECT_EQ(plan.open_operations[0].size.count, 320000);
}

TEST(ExchangePlan, SharedIndicesAreBroadcastAheadOfTheChosenAllReduce) {
  const ExchangePlan plan = planned(scenario_with("ar_topk", "ring_allreduce"), 4);
  const auto& stages = plan.buckets[0].stages;
  ASSERT_EQ(stages.size(), 2U);
  ASSERT_NE(stages[0].row, nullptr);
  EXPECT_EQ(stages[0].row->name, "binomial_broadcast");
  EXPECT_EQ(stages[0].operation.size.count, 160000);
  EXPECT_EQ(stages[1].row, nullptr);
  EXPECT_EQ(stages[1].operation.size.count, 160000);
}

TEST(ExchangePlan, ALibraryChoosesTheAllReduceAndTheBroadcast) {
  scenario::Scenario scenario = scenario_with("ar_topk", "auto");
  scenario.exchange.library = "mpich";
  const ExchangePlan plan = planned(scenario, 4);
  EXPECT_EQ(plan.buckets[0].stages[0].row->name, "mpich.broadcast");
  ASSERT_EQ(plan.candidates.size(), 1U);
  EXPECT_EQ(plan.candidates[0]->name, "mpich.allreduce");
}

TEST(ExchangePlan, ANamedCollectiveKeepsTheBroadcastOfTheLibrary) {
  scenario::Scenario scenario = scenario_with("ar_topk", "ring_allreduce");
  scenario.exchange.library = "gloo";
  const ExchangePlan plan = planned(scenario, 4);
  EXPECT_EQ(plan.buckets[0].stages[0].row->name, "gloo.broadcast");
  EXPECT_EQ(plan.candidates[0]->name, "ring_allreduce");
}

TEST(ExchangePlan, NcclChoosesAmongItsRingsAndTrees) {
  scenario::Scenario scenario = scenario_with("none", "auto");
  scenario.cluster.workers_per_node = 2;  // NCCL has no exchange on two levels
  scenario.exchange.library = "nccl";
  const ExchangePlan plan = planned(scenario, 4);
  ASSERT_EQ(plan.candidates.size(), 2U);
  EXPECT_TRUE(has(plan, "ring_allreduce"));
  EXPECT_TRUE(has(plan, "double_binary_tree_allreduce"));
}

TEST(ExchangePlan, TheTransportsLibraryRunsWhatIsNotNamed) {
  scenario::Scenario scenario = scenario_with("ar_topk", "auto");
  scenario.exchange.compression.selection = scenario::Selection::variance;
  scenario.cluster.fabric = scenario::Fabric{.transport = "nccl_tcp", .library = "nccl"};
  const ExchangePlan plan = planned(scenario, 4);
  ASSERT_EQ(plan.buckets[0].stages.size(), 3U);
  EXPECT_EQ(plan.buckets[0].stages[0].row->name, "ring_allgather");  // of the norms
  EXPECT_EQ(plan.buckets[0].stages[1].row->name, "nccl.broadcast");  // of the indices
  EXPECT_EQ(plan.candidates.size(), 2U);
  scenario.exchange.library = "gloo";
  EXPECT_TRUE(has(planned(scenario, 4), "gloo.allreduce"));
  scenario.exchange.library = "none";
  EXPECT_TRUE(has(planned(scenario, 4), "halving_doubling_allreduce"));
}

TEST(ExchangePlan, SelectionByVarianceGathersNormsFirst) {  // 4 bytes from each of four
  scenario::Scenario scenario = scenario_with("ar_topk", "ring_allreduce");
  scenario.exchange.compression.selection = scenario::Selection::variance;
  const auto stages = planned(scenario, 4).buckets[0].stages;
  ASSERT_EQ(stages.size(), 3U);
  ASSERT_NE(stages[0].row, nullptr);
  EXPECT_EQ(stages[0].row->name, "recursive_doubling_allgather");
  EXPECT_EQ(stages[0].operation.size, 16_B);
}

TEST(ExchangePlan, AutoOffersEveryScheduledRowOfTheRightKind) {
  const ExchangePlan plan = planned(scenario_with("none", "auto"), 4);
  EXPECT_TRUE(has(plan, "ring_allreduce"));
  EXPECT_TRUE(has(plan, "tree_allreduce"));
  EXPECT_FALSE(has(plan, "table_one_ring"));
  EXPECT_FALSE(has(plan, "ring_allgather"));
  for (const netmodels::Collective* row : plan.candidates) EXPECT_EQ(row->kind, CollectiveKind::all_reduce);
}

TEST(ExchangePlan, TwoLevelsAreOfferedWhereNodesHoldSeveralWorkers) {
  scenario::Scenario scenario = scenario_with("none", "auto");
  EXPECT_FALSE(has(planned(scenario, 4), "hierarchical_allreduce"));
  scenario.cluster.workers_per_node = 2;
  EXPECT_TRUE(has(planned(scenario, 4), "hierarchical_allreduce"));
  EXPECT_EQ(planned(scenario, 4).open_operations[0].group, 2U);
}

TEST(ExchangePlan, AnAllGatherHasTwoLevelsOnNodesToo) {
  scenario::Scenario scenario = scenario_with("topk", "auto");
  EXPECT_FALSE(has(planned(scenario, 4), "hierarchical_allgather"));
  EXPECT_FALSE(has(planned(scenario, 4), "leader_allgather"));
  scenario.cluster.workers_per_node = 2;
  EXPECT_TRUE(has(planned(scenario, 4), "hierarchical_allgather"));
  EXPECT_TRUE(has(planned(scenario, 4), "leader_allgather"));
}

TEST(ExchangePlan, SharedIndicesEnterANodeOnce) {
  scenario::Scenario scenario = scenario_with("ar_topk", "auto");
  scenario.cluster.workers_per_node = 2;
  EXPECT_EQ(planned(scenario, 4).buckets[0].stages[0].row->name, "hierarchical_broadcast");
  EXPECT_TRUE(has(planned(scenario, 4), "hierarchical_allreduce"));
  scenario.exchange.among = {"ar_topk_hierarchical", "ar_topk_ring"};
  const ExchangePlan both = planned(scenario, 4);
  ASSERT_EQ(both.buckets[0].stages.size(), 1U);
  EXPECT_TRUE(has(both, "ar_topk_hierarchical"));
}

TEST(ExchangePlan, UnevenNodesAfterALossBecomeOneRing) {
  scenario::Scenario scenario = scenario_with("none", "auto");
  scenario.cluster.workers_per_node = 2;
  const ExchangePlan plan = planned(scenario, 3);
  EXPECT_EQ(plan.open_operations[0].group, 1U);
  EXPECT_FALSE(has(plan, "hierarchical_allreduce"));
}

TEST(ExchangePlan, ChunksAreThoseOfTheScenario) {
  scenario::Scenario scenario = scenario_with("none", "pipelined_binary_tree_allreduce");
  scenario.exchange.chunks = 5;
  EXPECT_EQ(planned(scenario, 4).open_operations[0].chunks, 5U);
}

}  // namespace
}  // namespace sim::engine
