// Sharded steps on a simulated network: times by hand, evaluators that agree, names of exchanges.
#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "sim/engine/compression_cost.hpp"
#include "sim/engine/quantization.hpp"
#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

using netmodels::find_sharding;
using Kind = const netmodels::ShardingKind*;

/// Four blocks of equal layers; 100 MB/s without latency, so that a block of B bytes is gathered in
/// (N-1)/N B/(100 MB/s).
scenario::Scenario in_blocks(int workers, Kind sharding) {
  scenario::Scenario scenario = plain(workers, {}, kSlow, 2);
  for (std::size_t i = 0; i < scenario.work.workload.layers.size(); ++i)
    scenario.work.workload.layers[i].block = static_cast<std::uint32_t>(i + 1);
  scenario.exchange = {};
  scenario.work.parallelism.data = sharding;
  return scenario;
}

double parameters_of(const scenario::Scenario& scenario) {
  return static_cast<double>(scenario.work.workload.parameters());
}

TEST(Sharded, SendsParametersAndGradientsInTheirBytes) {  // (N-1)/N of 2 or 4 bytes a value and collective
  const auto sent = [](Kind sharding) {
    const scenario::Scenario scenario = in_blocks(4, sharding);
    return steps_of(scenario).front().sent->count / (2 * parameters_of(scenario)) * 4 / 3;
  };
  EXPECT_NEAR(sent(find_sharding("zero1")), 2, 1e-9);
  EXPECT_NEAR(sent(find_sharding("zero2")), 2, 1e-9);
  EXPECT_NEAR(sent(find_sharding("fsdp")), 2 - 0.25 + 2,
              1e-9);  // the last of four stays gathered; sums in fp32
}

TEST(Sharded, AWorkerAloneRunsAPlainStep) {
  const scenario::Scenario alone = in_blocks(1, find_sharding("fsdp"));
  EXPECT_NEAR(steps_of(alone).front().duration.count,
              alone.work.workload.compute(alone.work.training.batch).count, 1e-12);
}

TEST(Sharded, ExchangesThatTakeNoTimeLeaveComputing) {
  scenario::Scenario scenario = in_blocks(4, find_sharding("fsdp"));
  scenario.cluster.link.bandwidth = netmodels::Bandwidth{1e18};
  const netmodels::Workload& workload = scenario.work.workload;
  EXPECT_NEAR(steps_of(scenario).front().duration.count,
              (workload.compute(scenario.work.training.batch) - workload.optimizer * 0.75).count, 1e-6);
}

TEST(Sharded, EvaluatorsAgree) {
  for (const Kind sharding :
       {find_sharding("zero1"), find_sharding("zero2"), find_sharding("fsdp"), find_sharding("hsdp")}) {
    scenario::Scenario scenario = in_blocks(4, sharding);
    scenario.cluster.workers_per_node = 2;
    scenario.cluster.inner_link = netmodels::LinkState{1_us, netmodels::Bandwidth{1e9}};
    const double chosen = steps_of(scenario).front().duration.count;
    scenario.simulation.evaluator = scenario::Evaluator::simgrid;
    EXPECT_NEAR(steps_of(scenario).front().duration.count, chosen, 1e-9 * chosen);
  }
}

/// 1 TB/s of memory, no launches.
netmodels::Device plain_device() {
  netmodels::Device device;
  device.name = "plain";
  device.memory_bandwidth = netmodels::Bandwidth{1e12};
  return device;
}

scenario::Scenario zero_plus_plus() {
  scenario::Scenario scenario = in_blocks(4, find_sharding("zero++"));
  scenario.cluster.workers_per_node = 2;
  scenario.cluster.inner_link = netmodels::LinkState{1_us, netmodels::Bandwidth{1e9}};
  scenario.work.device = plain_device();
  return scenario;
}

TEST(Sharded, EvaluatorsAgreeOnCompressedExchanges) {
  scenario::Scenario scenario = zero_plus_plus();
  const double chosen = steps_of(scenario).front().duration.count;
  scenario.simulation.evaluator = scenario::Evaluator::simgrid;
  EXPECT_NEAR(steps_of(scenario).front().duration.count, chosen, 1e-9 * chosen);
}

TEST(Sharded, QuantisingTakesAtLeastItsMemoryTraffic) {
  // of a million values: 2 bytes read of each and 8 bits written, or the reverse; a scale for each 4096
  const scenario::Scenario scenario = zero_plus_plus();
  const DeviceQuantization times(costs_of(scenario));
  const netmodels::QuantizedForm eight{.bits = 8, .block = 4096};
  const double scales = 4 * 245;
  EXPECT_NEAR(times.quantize(eight, 1e6, 2).count, (3e6 + scales) / 1e12, 1e-15);
  EXPECT_NEAR(times.restore(eight, 1e6, 2.5e5, 2).count, (1e6 + scales + 5e5) / 1e12, 1e-15);
  EXPECT_EQ(
      compressing_origin_of(scenario),
      "quantising in 8 bits: a floor: memory traffic on plain, in 4 bits: a floor: memory traffic on plain");
}

TEST(Sharded, QuantisingTakesHalfOfAKnownTimeEachWay) {  // stated of all 4 million values
  scenario::Scenario scenario = zero_plus_plus();
  scenario.exchange.compression.time = 8_ms;
  const DeviceQuantization times(costs_of(scenario));
  EXPECT_NEAR(times.quantize({.bits = 4}, 1e6, 2).count, 1e-3, 1e-12);
  EXPECT_NEAR(times.restore({.bits = 8}, 1e6, 1e6, 2).count, 1e-3, 1e-12);
  EXPECT_EQ(compressing_origin_of(scenario),
            "quantising in 8 bits: as `int8`, stated, in 4 bits: as `block_4bit`, stated");
  EXPECT_GT(steps_of(scenario).front().parts.compress, netmodels::Seconds{});
}

TEST(Sharded, SharingWithinNodesSavesASlowNetwork) {
  const auto step = [](Kind sharding) {
    scenario::Scenario scenario = in_blocks(8, sharding);
    scenario.cluster.workers_per_node = 4;
    scenario.cluster.inner_link = netmodels::LinkState{1_us, netmodels::Bandwidth{1e11}};
    return steps_of(scenario).front().duration;
  };
  EXPECT_LT(step(find_sharding("hsdp")), step(find_sharding("fsdp")));
}

TEST(Sharded, AccumulationSavesExchangesOfZero1ButNotOfFsdp) {
  const auto exchange = [](Kind sharding, int accumulation) {
    scenario::Scenario scenario = in_blocks(4, sharding);
    scenario.work.workload.accumulate(static_cast<std::uint32_t>(accumulation));
    return steps_of(scenario).front().exchange_busy.count;
  };
  EXPECT_NEAR(exchange(find_sharding("zero1"), 4), exchange(find_sharding("zero1"), 1), 1e-12);
  EXPECT_NEAR(exchange(find_sharding("fsdp"), 4), 4 * exchange(find_sharding("fsdp"), 1), 1e-9);
}

TEST(Sharded, ExplainedGathersCountTheWorkersOfANode) {
  scenario::Scenario scenario = in_blocks(8, find_sharding("hsdp"));
  scenario.cluster.workers_per_node = 4;
  scenario.cluster.inner_link = netmodels::LinkState{1_us, netmodels::Bandwidth{1e11}};
  ClusterCache clusters;
  const auto steps = explain(scenario, clusters, {});
  ASSERT_TRUE(steps);
  for (const ExplainedExchange& exchange : steps->front().exchanges) {
    const bool inside = exchange.collective.find("within nodes") != std::string::npos;
    EXPECT_EQ(exchange.ranks, inside ? 4U : 8U) << exchange.collective;
  }
}

TEST(Sharded, ExplainedExchangesNameTheirUnitsFromOne) {
  ClusterCache clusters;
  const auto steps = explain(in_blocks(2, find_sharding("fsdp")), clusters, {});
  ASSERT_TRUE(steps);
  const auto& exchanges = steps->front().exchanges;
  EXPECT_EQ(exchanges.front().bucket, "all-gather of unit 1");
  EXPECT_EQ(exchanges.back().bucket, "reduce-scatter of unit 1");
  EXPECT_EQ(std::ranges::count(exchanges, "reduce-scatter of unit 4", &ExplainedExchange::bucket), 1);
}

TEST(Sharded, ExplainedGathersSayHowLongTheyQuantise) {  // a quarter of a million values: 3 bytes each
  ClusterCache clusters;
  const auto steps = explain(zero_plus_plus(), clusters, {});
  ASSERT_TRUE(steps);
  const ExplainedExchange& first = steps->front().exchanges.front();
  const double scales = 4 * 62;  // of 61.04 blocks
  EXPECT_NEAR(first.compress.count, (3 * 0.25e6 + scales) / 1e12, 1e-15);
}

TEST(Sharded, BarsNameTheCollective) {
  std::vector<Span> bars;
  Listeners listeners;
  listeners.span = [&](const Span& span) { bars.push_back(span); };
  ASSERT_TRUE(played(in_blocks(2, find_sharding("fsdp")), listeners));
  const auto count = [&](std::string_view name) {
    return std::ranges::count_if(bars, [&](const Span& span) {
      return span.worker == 0 && span.step == 0 && span.name == name && span.lane == "exchange";
    });
  };
  EXPECT_EQ(count("all-gather: ring_allgather"), 7);
  EXPECT_EQ(count("reduce-scatter: ring_reduce_scatter"), 4);
}

}  // namespace
}  // namespace sim::engine
