// NCCL's operations on clusters: quiet ones take the model's time, others are slowed as SimGrid says.
#include "sim/engine/nccl_flows.hpp"

#include <gtest/gtest.h>

#include "sim/engine/cost_evaluator.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using scenario::Evaluator;
namespace nccl = netmodels::nccl;

constexpr netmodels::Bytes kilobyte{1024};

constexpr netmodels::Bandwidth gigabytes(double rate) { return {rate * 1e9}; }

/// One GPU on each node, with 100 Gbit/s; or four on each behind switches, with two of these.
nccl::Hardware nodes_of(int gpus) {
  nccl::Hardware hardware;
  hardware.gpu = {.compute_capability = 80, .per_node = gpus};
  hardware.pcie = {.generation = 4};
  if (gpus > 1) hardware.nvlink = {.links = 12, .fabric = nccl::Fabric::all_to_all};
  hardware.network = nccl::Network{
      .kind = nccl::NetworkKind::infiniband, .nics_per_node = gpus > 1 ? 2 : 1, .rate = 100_Gbps};
  return hardware;
}

struct NcclCluster {
  nccl::Hardware hardware;
  scenario::Cluster cluster;
  scenario::HopLatency in_hops = {5_us, 2_us};  ///< the latencies of `cluster_of`
};

NcclCluster cluster_of(int nodes, int gpus, std::vector<nccl::Algorithm> algorithms = {}) {
  NcclCluster made{nodes_of(gpus), star(nodes * gpus, 5_us, gigabytes(gpus > 1 ? 25 : 12.5))};
  made.hardware.environment.algorithms = std::move(algorithms);
  made.cluster.workers_per_node = gpus;
  if (gpus > 1) made.cluster.inner_link = netmodels::LinkState{2_us, gigabytes(300)};
  return made;
}

netmodels::Result<CostEvaluator::Cost> cost_of(const NcclCluster& asked, Evaluator evaluator,
                                               netmodels::Bytes size,
                                               std::string_view name = "ring_allreduce") {
  SharedCluster built(std::move(*Platform::make(asked.cluster)));
  auto network = std::move(*NetworkTimeline::make(asked.cluster, built.platform(), built.numbers()));
  CostEvaluator::Settings settings{evaluator};
  settings.workers_per_node = static_cast<std::uint32_t>(asked.cluster.workers_per_node);
  settings.nccl = &asked.hardware;
  settings.in_hops = asked.in_hops;
  CostEvaluator costs(built, settings);
  const auto workers = static_cast<std::uint32_t>(asked.cluster.workers);
  costs.set_workers(everyone(workers));
  const auto handle =
      costs.prepare(**netmodels::find_collective(name), {workers, size, settings.workers_per_node, 16, {}});
  network.advance({}, 0, 0);
  return costs.evaluate(handle, network, {});
}

netmodels::Seconds time_of(const NcclCluster& asked, Evaluator evaluator, netmodels::Bytes size) {
  const auto cost = cost_of(asked, evaluator, size);
  EXPECT_TRUE(cost.has_value()) << cost.error().text();
  EXPECT_EQ(cost->by, EvaluatedBy::nccl);
  return cost->duration;
}

/// Rings and trees as messages of SimGrid, over the links that the cluster states.
TEST(NcclFlowsOnAQuietNetwork, TakeWhatTheModelSays) {
  for (const auto& [nodes, gpus] : {std::pair{4, 1}, {5, 1}, {1, 8}, {2, 4}, {4, 4}}) {
    for (const nccl::Algorithm algorithm : {nccl::Algorithm::ring, nccl::Algorithm::tree}) {
      const NcclCluster asked = cluster_of(nodes, gpus, {algorithm});
      const auto ranks = static_cast<std::uint32_t>(nodes * gpus);
      const auto model =
          nccl::Model::make(asked.hardware, {.ranks = ranks, .nodes = static_cast<std::uint32_t>(nodes)});
      for (netmodels::Bytes size = kilobyte; size <= 1024_MiB; size *= 32) {
        const netmodels::Seconds quiet = model->time(nccl::Operation::all_reduce, size)->total();
        EXPECT_NEAR(time_of(asked, Evaluator::automatic, size) / quiet, 1, 1e-9);
        EXPECT_NEAR(time_of(asked, Evaluator::simgrid, size) / quiet, 1, .01)
            << nodes << " x " << gpus << " " << nccl::to_string(algorithm) << " " << print(size);
      }
    }
  }
}

/// What slows the network slows the collective, and by as much as SimGrid says.
void expect_slower(const NcclCluster& asked, const NcclCluster& quiet) {
  const netmodels::Seconds before = time_of(quiet, Evaluator::automatic, 64_MiB);
  const netmodels::Seconds flows = time_of(asked, Evaluator::automatic, 64_MiB);
  EXPECT_GT(flows / before, 1.2);
  EXPECT_NEAR(time_of(asked, Evaluator::simgrid, 64_MiB) / flows, 1, .02);
}

TEST(NcclFlows, ShareLinksWithBackgroundTraffic) {
  for (const auto& [nodes, gpus] : {std::pair{4, 1}, {2, 4}}) {
    NcclCluster asked = cluster_of(nodes, gpus, {nccl::Algorithm::ring});
    const NcclCluster quiet = asked;
    scenario::BackgroundTraffic traffic;
    traffic.from = 0;
    traffic.to = asked.cluster.workers - 1;
    asked.cluster.background = {traffic};
    expect_slower(asked, quiet);
    asked.cluster.background.front().rate = asked.cluster.link.bandwidth / 2;
    expect_slower(asked, quiet);
  }
}

TEST(NcclFlows, LengthenATransferAndNotItsLatency) {
  const auto exchange_of = [](std::vector<scenario::BackgroundTraffic> traffic) {
    const NcclCluster asked = cluster_of(4, 1, {nccl::Algorithm::ring});
    scenario::Scenario scenario = plain(4, {}, kSlow, 1);
    scenario.cluster = asked.cluster;
    scenario.cluster.nccl = asked.hardware;
    scenario.cluster.background = std::move(traffic);
    ClusterCache clusters;
    return explain(scenario, clusters).value().front().exchanges.front();
  };
  const ExplainedExchange quiet = exchange_of({});
  scenario::BackgroundTraffic traffic;
  traffic.to = 3;
  const ExplainedExchange slowed = exchange_of({traffic});
  EXPECT_GT(slowed.duration, quiet.duration * 1.2);
  EXPECT_GT(quiet.latency_share, netmodels::Seconds{});
  EXPECT_NEAR(slowed.latency_share / quiet.latency_share, 1, 1e-9);
}

TEST(NcclFlows, AreAsFastAsTheSlowestNode) {
  NcclCluster asked = cluster_of(4, 1, {nccl::Algorithm::ring});
  const NcclCluster quiet = asked;
  asked.cluster.worker_links = {{{2}, {5_us, gigabytes(4)}}};
  expect_slower(asked, quiet);
}

TEST(NcclFlows, FollowChanges) {
  NcclCluster asked = cluster_of(4, 1, {nccl::Algorithm::ring});
  const NcclCluster quiet = asked;
  scenario::LinkChange change;
  change.at = {scenario::Moment::Unit::time, time_of(quiet, Evaluator::automatic, 64_MiB).count / 2};
  change.bandwidth = gigabytes(2);
  asked.cluster.changes = {change};
  expect_slower(asked, quiet);
}

/// Four racks behind a quarter of their bandwidth: the ring crosses each uplink once, a tree several times.
TEST(NcclFlows, ShareTheUplinksOfRacks) {
  NcclCluster asked = cluster_of(8, 1, {nccl::Algorithm::ring});
  const NcclCluster quiet = asked;
  asked.cluster.topology = scenario::topology("racks", scenario::Racks{2, 4});
  expect_slower(asked, quiet);
}

TEST(NcclFlows, AddTheLatencyOfFartherLinks) {
  NcclCluster asked = cluster_of(4, 1, {nccl::Algorithm::ring});
  const netmodels::Seconds quiet = time_of(asked, Evaluator::automatic, kilobyte);
  scenario::LinkChange change;
  change.at = {scenario::Moment::Unit::step, 0};
  change.latency = 105_us;
  asked.cluster.changes = {change};
  const netmodels::Seconds far = time_of(asked, Evaluator::automatic, kilobyte);
  EXPECT_NEAR((far - quiet).count, 6 * 100e-6, 1e-9);  // six steps, end to end
  EXPECT_NEAR(time_of(asked, Evaluator::simgrid, kilobyte) / far, 1, .01);
}

/// Four nodes at 1 Gbit/s, 50 ms apart, behind interfaces of 100 Gbit/s: 6 delays and 1.5 x 64 MiB.
TEST(NcclFlows, TheStatedNetworkCounts) {
  NcclCluster asked = cluster_of(4, 1, {nccl::Algorithm::ring});
  asked.cluster.link = {50_ms, 1_Gbps};
  asked.in_hops = {};
  const double far = time_of(asked, Evaluator::automatic, 64_MiB).count;
  EXPECT_NEAR(far, .3 + 1.5 * 67108864 / .125e9, .02);
  EXPECT_NEAR(time_of(asked, Evaluator::simgrid, 64_MiB).count, far, .01 * far);
  asked.cluster.link.latency = 50_us;
  const double near = time_of(asked, Evaluator::automatic, 64_MiB).count;
  EXPECT_NEAR(far - near, 6 * (50e-3 - 50e-6), 1e-9);
}

TEST(NcclFlows, ARunIsSlowedByBackgroundTraffic) {
  const auto total = [](bool loaded) {
    scenario::Scenario scenario = plain(4, 5_us, gigabytes(12.5), 3);
    scenario.cluster.nccl = nodes_of(1);
    if (loaded) scenario.cluster.background = {scenario::BackgroundTraffic{}};
    if (loaded) scenario.cluster.background.front().to = 1;
    ClusterCache clusters;
    const auto steps = explain(scenario, clusters);
    EXPECT_TRUE(steps.has_value());
    const ExplainedExchange& exchange = steps->front().exchanges.front();
    EXPECT_EQ(exchange.nccl->contention > netmodels::Seconds{}, loaded);
    EXPECT_NEAR(exchange.nccl->total().count, exchange.duration.count, 1e-15);
    return steps->front().step.duration;
  };
  EXPECT_GT(total(true), total(false));
}

}  // namespace
}  // namespace sim::engine
