// Collectives of a step as NCCL would choose them: precedence, what is refused, and terms in `explain`.
#include "sim/engine/nccl_times.hpp"

#include <gtest/gtest.h>

#include "netmodels/sharded_step.hpp"
#include "netmodels/traced_step.hpp"
#include "sim/engine/communication_plan.hpp"
#include "sim/engine/cost_evaluator.hpp"
#include "tests/arm_parts.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using scenario::Evaluator;

/// Four V100 on a mesh of single links: two rings.
netmodels::nccl::Hardware four_gpus() {
  netmodels::nccl::Hardware hardware;
  hardware.gpu = {.compute_capability = 70, .per_node = 4};
  hardware.nvlink = {.fabric = netmodels::nccl::Fabric::mesh,
                     .mesh = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {0, 3, 1}}};
  return hardware;
}

class NcclCosts : public ::testing::Test {
 protected:
  NcclCosts() { cluster_.workers_per_node = 4; }

  netmodels::Result<CostEvaluator::Cost> evaluate(std::string_view name, Evaluator evaluator,
                                                  std::vector<netmodels::MeasuredCollective> measured = {},
                                                  std::vector<netmodels::Bytes> parts = {}) {
    SharedCluster built(std::move(*Platform::make(cluster_)));
    auto network = std::move(*NetworkTimeline::make(cluster_, built.platform(), built.numbers()));
    CostEvaluator::Settings settings{evaluator};
    settings.measured = measured;
    settings.workers_per_node = 4;
    settings.nccl = &hardware_;
    settings.in_hops = {cluster_.link.latency, cluster_.inner_link->latency};
    CostEvaluator costs(built, settings);
    costs.set_workers(everyone(4));
    const auto handle =
        costs.prepare(**netmodels::find_collective(name), {4, 16_MB, 1, 16, std::move(parts)});
    network.advance({}, 0, 0);
    auto cost = costs.evaluate(handle, network, {});
    if (cost && cost->by == EvaluatedBy::nccl) {
      EXPECT_EQ(costs.counts().nccl, 1U);
    }
    return cost;
  }

  scenario::Cluster cluster_ = [] {
    scenario::Cluster cluster = star(4, 1_ms, {100e9});
    cluster.inner_link = netmodels::LinkState{1_ms, {100e9}};
    return cluster;
  }();
  netmodels::nccl::Hardware hardware_ = four_gpus();
};

TEST_F(NcclCosts, AutomaticTakesWhatTheModelSays) {
  const auto cost = evaluate("ring_allreduce", Evaluator::automatic);
  const auto model = netmodels::nccl::Model::make(hardware_, {.ranks = 4});
  EXPECT_EQ(cost->by, EvaluatedBy::nccl);
  EXPECT_EQ(cost->duration, model->time(netmodels::nccl::Operation::all_reduce, 16_MB)->total());
  EXPECT_EQ(cost->error, netmodels::nccl::error_class(hardware_, {.ranks = 4}).alone.p90);
  EXPECT_TRUE(cost->nccl->choice.has_value());
  EXPECT_EQ(evaluate("ring_allreduce", Evaluator::nccl)->duration, cost->duration);
}

TEST_F(NcclCosts, AMeasuredTableComesFirst) {
  netmodels::MeasuredCollective row;
  row.ranks = 4;
  row.smallest = {1};
  row.largest = {1e9};
  row.times.segments = {{{}, 5_ms, {}}};
  const auto cost = evaluate("ring_allreduce", Evaluator::automatic, {row});
  EXPECT_EQ(cost->by, EvaluatedBy::measured);
  EXPECT_EQ(cost->duration, 5_ms);
}

TEST_F(NcclCosts, OtherEvaluatorsTakeLinks) {
  EXPECT_EQ(evaluate("ring_allreduce", Evaluator::path)->by, EvaluatedBy::path);
}

TEST_F(NcclCosts, OtherLibrariesKeepTheirOwnTimes) {
  EXPECT_NE(evaluate("openmpi.allreduce", Evaluator::automatic)->by, EvaluatedBy::nccl);
  EXPECT_EQ(
      evaluate("openmpi.allreduce", Evaluator::nccl).error().text(),
      "network: NCCL does not run `openmpi.allreduce` on these workers; use a collective of NCCL with as "
      "many workers on each node, or `network: auto`");
}

TEST_F(NcclCosts, SchedulesThatNcclDoesNotHaveAreEvaluatedOnLinks) {
  for (const std::string_view name :
       {"parameter_server_allreduce", "halving_doubling_allreduce", "tree_allreduce",
        "hierarchical_allreduce", "leader_allgather", "binomial_broadcast"}) {
    const auto cost = evaluate(name, Evaluator::automatic);
    EXPECT_TRUE(cost.has_value() && cost->by != EvaluatedBy::nccl) << name;
    EXPECT_FALSE(evaluate(name, Evaluator::nccl).has_value()) << name;
  }
  for (const std::string_view name : {"ring_allreduce", "double_binary_tree_allreduce", "ring_allgather",
                                      "ring_reduce_scatter", "pipelined_broadcast", "nccl.broadcast"})
    EXPECT_EQ(evaluate(name, Evaluator::automatic)->by, EvaluatedBy::nccl) << name;
}

TEST_F(NcclCosts, AutoChoosesAmongSchedulesOfNccl) {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 3);
  scenario.cluster.workers_per_node = 4;
  scenario.cluster.inner_link = netmodels::LinkState{1_ms, {100e9}};
  scenario.exchange.collective = "auto";
  const std::size_t without = plan_exchange(stated_exchange(step_settings_of(scenario)), 4).candidates.size();
  scenario.cluster.nccl = hardware_;
  const auto candidates = plan_exchange(stated_exchange(step_settings_of(scenario)), 4).candidates;
  EXPECT_LT(candidates.size(), without);
  for (const netmodels::Collective* row : candidates) EXPECT_TRUE(row->in_nccl) << row->name;
  scenario.simulation.evaluator = Evaluator::path;  // times by links: the library is the same
  EXPECT_EQ(plan_exchange(stated_exchange(step_settings_of(scenario)), 4).candidates, candidates);
  scenario.exchange.library = "none";  // any schedule may be the shortest
  EXPECT_EQ(plan_exchange(stated_exchange(step_settings_of(scenario)), 4).candidates.size(), without);
}

/// Nodes of eight H100s with an interface of 400 Gbit/s each.
netmodels::nccl::Hardware nodes_of_eight() {
  namespace nccl = netmodels::nccl;
  nccl::Hardware hardware;
  hardware.gpu = {.compute_capability = 90, .per_node = 8};
  hardware.nvlink = {.links = 18, .fabric = nccl::Fabric::all_to_all};
  hardware.pcie = {.generation = 5};
  hardware.network = nccl::Network{.kind = nccl::NetworkKind::roce, .nics_per_node = 8, .rate = {50e9}};
  return hardware;
}

/// The step of a graph summed within a node takes what NCCL's all-reduce of that node takes: one call.
TEST(NcclTimesOfGraphs, ASumWithinANodeIsOneCall) {
  namespace nccl = netmodels::nccl;
  const nccl::Hardware hardware = nodes_of_eight();
  const auto times = NcclTimes::make(hardware, everyone(16), 8);
  const auto node = nccl::Model::make(hardware, {.ranks = 8, .nodes = 1});
  ASSERT_TRUE(times.has_value() && node.has_value());
  netmodels::TracedStep step;
  step.operations.push_back(
      {"sum", netmodels::StepStream::communication, {}, {}, netmodels::TracedCollective{}});
  step.operations[0].collective->reach = netmodels::CollectiveReach::within_node;
  step.operations[0].collective->size = 64_MB;
  const netmodels::StepGraph graph = netmodels::traced_graph(step, {16, 8}, {});
  ASSERT_EQ(graph.collectives.size(), 1U);
  const netmodels::StepOperation& sum = graph.operations[graph.collectives.front()];
  ASSERT_TRUE(NcclTimes::runs(*sum.row));
  EXPECT_EQ(times->time(*sum.row, sum.operation)->total(),
            node->time(nccl::Operation::all_reduce, 64_MB)->total());
}

/// Of two nodes of 8 H100 with 8 interfaces: rings within nodes take what one node takes, and those between
/// nodes what one worker of each takes with one interface.
TEST(NcclTimesOfSharding, AreThoseOfTheRanksThatWorkTogether) {
  using netmodels::CollectiveReach;
  namespace nccl = netmodels::nccl;
  const nccl::Hardware hardware = nodes_of_eight();
  const auto times = NcclTimes::make(hardware, everyone(16), 8);
  ASSERT_TRUE(times.has_value());
  const auto node = nccl::Model::make(hardware, {.ranks = 8, .nodes = 1});
  nccl::Hardware single = hardware;
  single.gpu.per_node = 1;
  single.nvlink = {};
  single.network->nics_per_node = 1;
  const auto pair = nccl::Model::make(single, {.ranks = 2, .nodes = 2});
  ASSERT_TRUE(node.has_value() && pair.has_value());
  netmodels::Workload workload = four_layers();
  for (netmodels::Layer& layer : workload.layers) layer.block = 1;
  const auto step = netmodels::sharded_step(
      workload, 1, {.sharding = netmodels::find_sharding("hsdp")->shares, .ranks = 16, .group = 8});
  int within = 0;
  int between = 0;
  for (const std::uint32_t index : step.collectives) {
    const netmodels::StepOperation& operation = step.operations[index];
    ASSERT_TRUE(NcclTimes::runs(*operation.row)) << operation.row->name;
    const netmodels::Bytes size = operation.operation.size;
    const auto taken = times->time(*operation.row, operation.operation);
    ASSERT_TRUE(taken.has_value());
    if (operation.row->kind == netmodels::CollectiveKind::all_reduce) {
      EXPECT_EQ(operation.row->reach, CollectiveReach::between_nodes);
      EXPECT_EQ(taken->total(), pair->time(nccl::Operation::all_reduce, size / 8)->total());
      ++between;
    } else {
      EXPECT_EQ(operation.row->reach, CollectiveReach::within_node);
      const bool gathers = operation.row->kind == netmodels::CollectiveKind::all_gather;
      const auto kind = gathers ? nccl::Operation::all_gather : nccl::Operation::reduce_scatter;
      EXPECT_EQ(taken->total(), node->time(kind, size)->total());
      ++within;
    }
  }
  EXPECT_GT(within, 0);
  EXPECT_GT(between, 0);
}

TEST_F(NcclCosts, UnevenWorkersHaveNone) {
  const std::vector<std::uint32_t> workers{0, 1, 2, 3, 4, 5};
  EXPECT_FALSE(NcclTimes::make(hardware_, workers, 4).has_value());
  const std::vector<std::uint32_t> two{0, 1};
  EXPECT_TRUE(NcclTimes::make(hardware_, two, 4).has_value());
}

TEST_F(NcclCosts, ExplainShowsTheChoiceAndTheTerms) {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 3);
  scenario.cluster.workers_per_node = 4;
  scenario.cluster.inner_link = netmodels::LinkState{1_ms, {100e9}};
  scenario.cluster.nccl = hardware_;
  ClusterCache clusters;
  const auto steps = explain(scenario, clusters);
  ASSERT_TRUE(steps.has_value()) << steps.error().text();
  const ExplainedExchange& exchange = steps->front().exchanges.front();
  ASSERT_TRUE(exchange.nccl.has_value());
  EXPECT_EQ(exchange.evaluator, "nccl");
  EXPECT_NEAR(exchange.nccl->total().count, exchange.duration.count, 1e-15);
  EXPECT_EQ(exchange.latency_share, exchange.nccl->total() - exchange.nccl->wire);
}

}  // namespace
}  // namespace sim::engine
