// Sharded steps by hand: which collectives of what size, how far gathers run ahead, and what nothing hides.
#include "netmodels/sharded_step.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "netmodels/data_parallel_step.hpp"
#include "netmodels/transformer.hpp"

namespace netmodels {
namespace {

using namespace netmodels::literals;

/// Four units of 1000 values: 10 ms forward, 20 ms backward each; 1 ms of an optimizer by shards of 4.
Workload four_units() {
  Workload workload;
  workload.optimizer = 4_ms;
  for (std::uint32_t block = 0; block < 4; ++block) {
    Layer layer;
    layer.parameters = 1000;
    layer.block = block;
    layer.forward = {10_ms, {}};
    layer.backward = {20_ms, {}};
    workload.layers.push_back(layer);
  }
  return workload;
}

ShardedExchange four_ranks(Sharding sharding) { return {.sharding = sharding, .ranks = 4, .group = 2}; }

/// Gathers take one time, everything else another.
class GatherCosts final : public CollectiveEvaluator {
 public:
  GatherCosts(const StepGraph& graph, Seconds gather, Seconds other)
      : graph_(graph), gather_(gather), other_(other) {}
  Result<Seconds> duration(std::size_t operation, Seconds) override {
    return graph_.operations[operation].name == gather_name ? gather_ : other_;
  }

 private:
  const StepGraph& graph_;
  Seconds gather_;
  Seconds other_;
};

StepTimes timed(const StepGraph& graph, Seconds gather, Seconds other) {
  GatherCosts costs(graph, gather, other);
  StepTimes times;
  EXPECT_TRUE(run_step(graph, {}, costs, times));
  return times;
}

double duration_of(const Workload& workload, const ShardedExchange& exchange, Seconds gather, Seconds other) {
  return timed(sharded_step(workload, 1, exchange), gather, other).duration.count;
}

std::map<std::string_view, int> counts_of(const StepGraph& graph) {
  std::map<std::string_view, int> counts;
  for (const std::uint32_t index : graph.collectives) ++counts[graph.operations[index].name];
  return counts;
}

using Counts = std::map<std::string_view, int>;

TEST(ShardedStep, EachShardingHasItsCollectives) {
  const auto counts = [](Sharding sharding, std::uint32_t micro_batches) {
    Workload workload = four_units();
    workload.accumulate(micro_batches);
    return counts_of(sharded_step(workload, 1, four_ranks(sharding)));
  };
  EXPECT_EQ(counts(find_sharding("zero1")->shares, 1), (Counts{{gather_name, 4}, {scatter_name, 4}}));
  EXPECT_EQ(counts(find_sharding("zero1")->shares, 3), (Counts{{gather_name, 4}, {scatter_name, 4}}));
  EXPECT_EQ(counts(find_sharding("zero2")->shares, 3), (Counts{{gather_name, 4}, {scatter_name, 12}}));
  EXPECT_EQ(counts(find_sharding("fsdp")->shares, 1), (Counts{{gather_name, 7}, {scatter_name, 4}}));
  EXPECT_EQ(counts(find_sharding("fsdp")->shares, 3), (Counts{{gather_name, 21}, {scatter_name, 12}}));
  EXPECT_EQ(counts(find_sharding("hsdp")->shares, 3),
            (Counts{{gather_name, 21}, {scatter_name, 12}, {replicas_name, 12}}));
}

TEST(ShardedStep, NodesMaySumTheirShardsInTheLastMicroBatchAlone) {
  Workload workload = four_units();
  workload.accumulate(3);
  ShardedExchange exchange = four_ranks(find_sharding("hsdp")->shares);
  exchange.replicas_in_each = false;
  EXPECT_EQ(counts_of(sharded_step(workload, 1, exchange)),
            (Counts{{gather_name, 21}, {scatter_name, 12}, {replicas_name, 4}}));
}

TEST(ShardedStep, WholeGradientsAreScatteredOnce) {
  const auto counts = [](Sharding sharding) {
    Workload workload = four_units();
    workload.accumulate(3);
    ShardedExchange whole = four_ranks(sharding);
    whole.whole_gradients = true;
    return counts_of(sharded_step(workload, 1, whole));
  };
  EXPECT_EQ(counts(find_sharding("zero2")->shares), (Counts{{gather_name, 4}, {scatter_name, 4}}));
  EXPECT_EQ(counts(find_sharding("fsdp")->shares), (Counts{{gather_name, 21}, {scatter_name, 4}}));
  EXPECT_EQ(counts(find_sharding("hsdp")->shares),
            (Counts{{gather_name, 21}, {scatter_name, 4}, {replicas_name, 4}}));
}

/// Llama 2 7B: 6 738 415 616 parameters.
Workload llama2_7b() {
  Workload workload;
  workload.layers = transformer_layers({.layers = 32,
                                        .hidden = 4096,
                                        .heads = 32,
                                        .sequence = 4096,
                                        .vocabulary = 32000,
                                        .ffn = 11008,
                                        .ffn_kind = FeedForward::swiglu,
                                        .norm = Normalisation::rms,
                                        .positions = PositionEncoding::rotary,
                                        .bias = Biases::none,
                                        .tied = false});
  return workload;
}

struct Sent {
  std::vector<double> gathers;
  std::vector<double> scatters;

  explicit Sent(const StepGraph& graph) {
    for (const std::uint32_t index : graph.collectives) {
      const StepOperation& operation = graph.operations[index];
      (operation.name == gather_name ? gathers : scatters).push_back(operation.operation.size.count);
    }
  }
  static double sum(const std::vector<double>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), 0.0);
  }
};

// As recorded from FSDP2 (PyTorch 2.15) where blocks alone are wrapped: parameters in bf16, reduced in fp32.
TEST(ShardedStep, ARootUnitIsGatheredFirstAndReducedLastAsFsdp2DoesIt) {
  const ShardedExchange exchange{.sharding = find_sharding("fsdp")->shares,
                                 .ranks = 64,
                                 .group = 8,
                                 .grouping = ShardGrouping::root,
                                 .gradient_bytes = 4};
  const Sent sent(sharded_step(llama2_7b(), 1, exchange));
  ASSERT_EQ(sent.gathers.size(), 65U);
  EXPECT_EQ(sent.gathers.front(), 524296192);
  for (std::size_t i = 1; i < sent.gathers.size(); ++i) EXPECT_EQ(sent.gathers[i], 404766720) << i;
  EXPECT_NEAR(Sent::sum(sent.gathers), 26.4294e9, 1e5);
  ASSERT_EQ(sent.scatters.size(), 33U);
  EXPECT_EQ(sent.scatters.back(), 2 * 524296192);
  EXPECT_EQ(Sent::sum(sent.scatters), 4 * 6738415616.0);
}

TEST(ShardedStep, OuterUnitsAreThoseOfTorchtitan) {  // embedding, 32 blocks, and norm with head, which stays
  const ShardedExchange exchange{
      .sharding = find_sharding("fsdp")->shares, .ranks = 64, .group = 8, .gradient_bytes = 4};
  const Sent sent(sharded_step(llama2_7b(), 1, exchange));
  EXPECT_EQ(sent.gathers.size(), 34U + 33U);
  EXPECT_EQ(sent.gathers.front(), 2 * 131072000.0);
  EXPECT_EQ(Sent::sum(sent.gathers), 2 * (2 * 6738415616.0 - (131072000 + 4096)));
  EXPECT_EQ(sent.scatters.size(), 34U);
  EXPECT_EQ(Sent::sum(sent.scatters), 4 * 6738415616.0);
}

TEST(ShardedStep, ARootUnitHidesNeitherItsGatherNorItsReduction) {
  // gathers of 5 ms: the first is exposed; reductions of 5 ms: the root's is
  ShardedExchange root = four_ranks(find_sharding("fsdp")->shares);
  root.grouping = ShardGrouping::root;
  EXPECT_NEAR(duration_of(four_units(), root, 5_ms, 0_ms), 0.120 + 0.001 + 0.005, 1e-12);
  EXPECT_NEAR(duration_of(four_units(), root, 0_ms, 5_ms), 0.120 + 0.001 + 0.005, 1e-12);
  const Sent sent(sharded_step(four_units(), 1, root));
  EXPECT_EQ(sent.gathers, (std::vector<double>{4000, 2000, 2000, 2000, 2000}));
  EXPECT_EQ(sent.scatters, (std::vector<double>{2000, 2000, 4000}));
}

TEST(ShardedStep, KeptParametersAreGatheredOnce) {
  ShardedExchange kept = four_ranks(find_sharding("fsdp")->shares);
  kept.reshard_after_forward = false;
  EXPECT_EQ(counts_of(sharded_step(four_units(), 1, kept)), (Counts{{gather_name, 4}, {scatter_name, 4}}));
}

TEST(ShardedStep, CollectivesCarryWholeUnitsInTheirTypes) {
  ShardedExchange exchange = four_ranks(find_sharding("hsdp")->shares);
  exchange.parameter_bytes = 1;
  exchange.gradient_bytes = 4;
  const StepGraph graph = sharded_step(four_units(), 1, exchange);
  for (const std::uint32_t index : graph.collectives) {
    const StepOperation& operation = graph.operations[index];
    EXPECT_DOUBLE_EQ(operation.operation.size.count, operation.name == gather_name ? 1000 : 4000);
    EXPECT_EQ(operation.operation.ranks, 4U);
    EXPECT_EQ(operation.operation.group, 2U);
  }
}

/// Bytes that leave each node in a step.
double leaving_nodes(const StepGraph& graph, const ShardedExchange& exchange) {
  double sum = 0;
  for (const std::uint32_t index : graph.collectives) {
    const StepOperation& operation = graph.operations[index];
    for (const Phase& phase : operation.row->schedule(operation.operation).phases) {
      for (const Round& round : phase.rounds) {
        for (const Transfer& message : round) {
          if (message.from / exchange.group != message.to / exchange.group)
            sum += message.size.count * phase.repeat;
        }
      }
    }
  }
  return sum * exchange.group / exchange.ranks;
}

ShardSending sending_by(std::string_view name) { return (*find_shard_sending(name))->sending; }

/// Of a step over what the parameters take in 2 bytes.
double volume(Sharding sharding, std::string_view name, std::uint32_t ranks, std::uint32_t group) {
  Workload workload = four_units();
  for (Layer& layer : workload.layers) layer.parameters = 4096000;
  ShardedExchange exchange{.sharding = sharding, .ranks = ranks, .group = group};
  if (!name.empty()) exchange.sending = sending_by(name);
  return leaving_nodes(sharded_step(workload, 1, exchange), exchange) / (2 * 4 * 4096000);
}

TEST(ShardedStep, CompressionSavesBytesBetweenNodesAsByHand) {
  // Rings over 4 ranks send 3/4 of M out of each of 2 nodes: once forward, 3/4 of it backward (the last of
  // four units stays), once for gradients. 8 bits are half of M and 4 a quarter; scales are 4 bytes for 4096.
  constexpr double ring = 0.75, pairs = 0.5, eight = 0.5 + 0.5 / 1024, four = 0.25 + 0.5 / 1024;
  EXPECT_NEAR(volume(find_sharding("fsdp")->shares, "", 4, 2), ring * 2.75, 1e-9);
  EXPECT_NEAR(volume(find_sharding("fsdp")->shares, "qwz", 4, 2), ring * (1.75 * eight + 1), 1e-9);
  EXPECT_NEAR(volume(find_sharding("fsdp")->shares, "hpz", 4, 2), ring * 2, 1e-9);
  EXPECT_NEAR(volume(find_sharding("fsdp")->shares, "qgz", 4, 2), ring * 1.75 + pairs * four, 1e-9);
  EXPECT_NEAR(volume(find_sharding("fsdp")->shares, "zero++", 4, 2), ring * eight + pairs * four, 1e-9);
  EXPECT_NEAR(volume(find_sharding("fsdp")->shares, "fp8", 4, 2), ring * (1.75 * 0.5 + 1), 1e-6);
  const double by_small_blocks = 0.25 + 2.0 / 128;
  EXPECT_NEAR(volume(find_sharding("zero2")->shares, "sdp4bit", 4, 2),
              ring * by_small_blocks + pairs * by_small_blocks, 1e-9);
}

TEST(ShardedStep, ZeroPlusPlusSendsAQuarterOfZero3) {  // published: 3 M and 0.75 M between nodes
  EXPECT_NEAR(volume(find_sharding("fsdp")->shares, "zero++", 256, 8), 0.75, 0.02);
  EXPECT_NEAR(volume(find_sharding("fsdp")->shares, "", 256, 8) / (255.0 / 256), 2.75, 1e-9);
}

TEST(ShardedStep, QuantisedGradientsAreExchangedOnBothLevels) {
  const auto counts = [](std::uint32_t ranks, std::uint32_t group) {
    ShardedExchange exchange{.sharding = find_sharding("fsdp")->shares, .ranks = ranks, .group = group};
    exchange.sending = sending_by("qgz");
    return counts_of(sharded_step(four_units(), 1, exchange));
  };
  EXPECT_EQ(counts(4, 2), (Counts{{gather_name, 7}, {exchange_within_name, 4}, {exchange_between_name, 4}}));
  EXPECT_EQ(counts(4, 4), (Counts{{gather_name, 7}, {exchange_within_name, 4}}));
  EXPECT_EQ(counts(4, 1), (Counts{{gather_name, 7}, {exchange_between_name, 4}}));
}

// Units of 1000 values on two nodes of two: a worker's share of 500 has 4 coefficients (3.9) of 6 bytes, 96
// bytes of all four workers.
TEST(ShardedStep, FlexDemoGathersCoefficientsBetweenNodes) {
  ShardedExchange exchange = four_ranks(find_sharding("hsdp")->shares);
  exchange.sending = sending_by("flexdemo");
  const StepGraph graph = sharded_step(four_units(), 1, exchange);
  EXPECT_EQ(counts_of(graph), (Counts{{gather_name, 7}, {scatter_name, 4}, {replicas_name, 4}}));
  for (const std::uint32_t index : graph.collectives) {
    const StepOperation& operation = graph.operations[index];
    if (operation.name != replicas_name) continue;
    EXPECT_EQ(operation.row->name, "ring_allgather between nodes");
    EXPECT_EQ(operation.operation.size.count, 96);
  }
}

/// 1 us for a value that is quantised, 2 us for one that is restored.
class PlainQuantization final : public QuantizationTimes {
 public:
  [[nodiscard]] Seconds quantize(const QuantizedForm&, double values, double) const override {
    return values * 1_us;
  }
  [[nodiscard]] Seconds restore(const QuantizedForm&, double values, double, double) const override {
    return values * 2_us;
  }
};

TEST(ShardedStep,
     WhatFlexDemoGathersIsRestoredOncePerNode) {  // the last unit: 500 + 2 x 1000 us; an optimizer by halves
  const PlainQuantization times;
  ShardedExchange exchange = four_ranks(find_sharding("hsdp")->shares);
  exchange.sending = sending_by("flexdemo");
  EXPECT_NEAR(timed(sharded_step(four_units(), 1, exchange, &times), {}, {}).duration.count, 0.122 + 0.0025,
              1e-12);
}

TEST(ShardedStep, QuantisingTakesTimeOnTheWay) {
  // Units of 1000 values. A gather of all ranks quantises 250 and restores 1000: 2.25 ms; 7 of them without
  // prefetching. Gradients: 1000 + 2000 us inside nodes, 500 + 1000 between them; the last unit's are
  // exposed.
  const PlainQuantization times;
  ShardedExchange exchange = four_ranks(find_sharding("fsdp")->shares);
  exchange.prefetch = 0;
  exchange.sending = sending_by("qwz");
  const auto duration = [&] {
    return timed(sharded_step(four_units(), 1, exchange, &times), {}, {}).duration.count;
  };
  EXPECT_NEAR(duration(), 0.121 + 7 * 0.00225, 1e-12);
  exchange.prefetch = 1;
  exchange.sending = sending_by("qgz");
  EXPECT_NEAR(duration(), 0.121 + 0.0045, 1e-12);
}

TEST(ShardedStep, QuantisingAndRestoringAreNamed) {  // 7 gathers
  const PlainQuantization times;
  ShardedExchange exchange = four_ranks(find_sharding("fsdp")->shares);
  exchange.sending = sending_by("qwz");
  const StepGraph graph = sharded_step(four_units(), 1, exchange, &times);
  const auto count = [&](StepWork work, std::string_view name) {
    return std::ranges::count_if(graph.operations, [&](const StepOperation& operation) {
      return operation.work == work && operation.name == name;
    });
  };
  EXPECT_EQ(count(StepWork::compress, quantize_name), 7);
  EXPECT_EQ(count(StepWork::restore, "restore"), 7);
}

TEST(ShardSending, NamesGoTogetherUnlessTheyStateTheSame) {
  const auto both = together(sending_by("qwz"), sending_by("hpz"));
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->secondary);
  EXPECT_EQ(both->parameters, sending_by("zero++").parameters);
  const auto twice = together(sending_by("qwz"), sending_by("fp8"));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().what, "two of them state how parameters are gathered");
  EXPECT_EQ(together(sending_by("qgz"), sending_by("loco")).error().what,
            "two of them state how gradients are summed");
  EXPECT_EQ(together(sending_by("hpz"), sending_by("zero++")).error().what,
            "two of them state second copies inside nodes");
}

TEST(ShardedStep, FreeExchangesLeaveComputingAlone) {  // 4 x 10, 4 x 20, and a quarter of the optimizer
  EXPECT_NEAR(duration_of(four_units(), four_ranks(find_sharding("fsdp")->shares), 0_ms, 0_ms), 0.121, 1e-12);
  EXPECT_NEAR(duration_of(four_units(), four_ranks(find_sharding("hsdp")->shares), 0_ms, 0_ms), 0.122,
              1e-12);  // shards of 2
}

TEST(ShardedStep, PrefetchingHidesAllGathersButTheFirst) {
  // prefetch 1, gathers of 8 ms: the first two follow each other from 0 on, the third begins at 18 ms when
  // the first unit is done. In the backward pass gathers begin while the unit before computes 20 ms.
  EXPECT_NEAR(duration_of(four_units(), four_ranks(find_sharding("fsdp")->shares), 8_ms, 0_ms), 0.129, 1e-12);
}

TEST(ShardedStep, WithoutPrefetchingEachGatherIsExposed) {  // 7 gathers of 8 ms
  ShardedExchange exchange = four_ranks(find_sharding("fsdp")->shares);
  exchange.prefetch = 0;
  EXPECT_NEAR(duration_of(four_units(), exchange, 8_ms, 0_ms), 0.121 + 7 * 0.008, 1e-12);
}

TEST(ShardedStep, SlowGathersDecideTheStep) {
  // Four gathers of 100 ms follow each other; the first of the backward pass begins once the forward pass is
  // done, at 410 ms, beside the last unit that stays. Three follow each other; 20 ms of the last unit, 1 ms.
  EXPECT_NEAR(duration_of(four_units(), four_ranks(find_sharding("fsdp")->shares), 100_ms, 0_ms),
              0.410 + 0.300 + 0.020 + 0.001, 1e-12);
}

TEST(ShardedStep, TheLastScatterIsExposed) {  // 5 ms hide behind 20 ms of the next unit
  EXPECT_NEAR(duration_of(four_units(), four_ranks(find_sharding("fsdp")->shares), 0_ms, 5_ms), 0.121 + 0.005,
              1e-12);
  EXPECT_NEAR(duration_of(four_units(), four_ranks(find_sharding("hsdp")->shares), 0_ms, 5_ms), 0.122 + 0.010,
              1e-12);
}

TEST(ShardedStep, AccumulationSavesExchangesOfZero1ButNotOfFsdp) {
  const auto exposed = [](Sharding sharding, std::uint32_t micro_batches) {
    Workload workload = four_units();
    workload.accumulate(micro_batches);
    return duration_of(workload, four_ranks(sharding), 30_ms, 30_ms) - 0.120 * micro_batches - 0.001;
  };
  EXPECT_NEAR(exposed(find_sharding("zero1")->shares, 4), exposed(find_sharding("zero1")->shares, 1), 1e-12);
  EXPECT_GT(exposed(find_sharding("fsdp")->shares, 4), 3 * exposed(find_sharding("fsdp")->shares, 1));
}

TEST(ShardedStep, UnitsAreTheBlocksAndWhatHasParametersAroundThem) {
  Workload workload = four_units();
  workload.layers[3].parameters = 0;  // a tied head
  const std::vector<ShardUnit> units = shard_units(workload.layers);
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[2].first, 2U);
  EXPECT_EQ(units[2].end, 4U);
  EXPECT_EQ(units[2].parameters, 1000);
}

TEST(ShardedStep, BlocksStayWholeBesideOnesWithoutParameters) {
  // blocks 0 0 1 1 2 3 3 with parameters only in 1 and 3: two units, each with what it takes along
  std::vector<Layer> layers(7);
  const std::array<std::uint32_t, 7> blocks{0, 0, 1, 1, 2, 3, 3};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].block = blocks.at(i);
    layers[i].parameters = blocks.at(i) % 2 == 1 ? 10 : 0;
  }
  const std::vector<ShardUnit> units = shard_units(layers);
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0].first, 0U);
  EXPECT_EQ(units[0].end, 5U);
  EXPECT_EQ(units[0].parameters, 20);
  EXPECT_EQ(units[1].first, 5U);
  EXPECT_EQ(units[1].end, 7U);
  EXPECT_EQ(units[1].parameters, 20);
}

/// Bytes of the collectives of one name.
double bytes_of(const StepGraph& graph, std::string_view name) {
  double sum = 0;
  for (const std::uint32_t index : graph.collectives) {
    if (graph.operations[index].name == name) sum += graph.operations[index].operation.size.count;
  }
  return sum;
}

// 1000 values in each of four units, of which 10 are trained in three, and none in the first.
TEST(ShardedStep, FrozenValuesAreGatheredButHaveNoGradients) {
  Workload workload = four_units();
  for (Layer& layer : workload.layers) {
    layer.parameters = layer.block == 0 ? 0 : 10;
    layer.frozen = 1000 - layer.parameters;
  }
  const StepGraph fsdp = sharded_step(workload, 1, four_ranks(find_sharding("fsdp")->shares));
  EXPECT_DOUBLE_EQ(bytes_of(fsdp, gather_name), 2 * (4 + 3) * 1000.0);
  EXPECT_DOUBLE_EQ(bytes_of(fsdp, scatter_name), 2 * 3 * 10.0);
  EXPECT_EQ(counts_of(fsdp).at(scatter_name), 3);
  const StepGraph zero1 = sharded_step(workload, 1, four_ranks(find_sharding("zero1")->shares));
  EXPECT_DOUBLE_EQ(bytes_of(zero1, gather_name), 2 * 3 * 10.0);  // the others have not changed
}

TEST(ShardedStep, PartsAddUpToTheStep) {
  const StepTimes times =
      timed(sharded_step(four_units(), 1, four_ranks(find_sharding("fsdp")->shares)), 13_ms, 27_ms);
  EXPECT_NEAR(times.parts.total().count, times.duration.count, 1e-15);
  EXPECT_NEAR(times.parts.compute.count, 0.121, 1e-12);
  EXPECT_GT(times.parts.exchange.count, 0);
}

TEST(DataParallelStep, AccumulationExchangesInTheLastMicroBatchOnly) {
  // 3 micro-batches of 40 + 80 ms and 4 ms of an optimizer; one bucket a layer, of which the last is exposed
  Workload workload = four_units();
  workload.accumulate(3);
  std::vector<BucketExchange> buckets;
  for (const Bucket& bucket : gradient_buckets(workload.layers, {Bytes{1}, Bytes{1}}))
    buckets.push_back({bucket, {{nullptr, {}}}});
  const StepTimes times = timed(data_parallel_step(workload, 1, {true, buckets}), {}, 6_ms);
  EXPECT_NEAR(times.duration.count, 0.364 + 0.006, 1e-12);
  EXPECT_NEAR(workload.compute(1).count, 0.364, 1e-12);
  const StepTimes after = timed(data_parallel_step(workload, 1, {false, buckets}), {}, 6_ms);
  EXPECT_NEAR(after.duration.count, 0.364 + 0.024, 1e-12);
}

}  // namespace
}  // namespace netmodels
