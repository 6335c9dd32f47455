// Memory of a worker: the published states of ZeRO, gathered units, and activations.
#include "netmodels/training_memory.hpp"

#include <gtest/gtest.h>

#include "tests/netmodels/published_csv.hpp"

namespace netmodels {
namespace {

/// So many values in four blocks.
Workload in_blocks(double parameters) {
  Workload workload;
  for (std::uint32_t block = 0; block < 4; ++block) {
    Layer layer;
    layer.parameters = static_cast<std::int64_t>(parameters / 4);
    layer.block = block;
    workload.layers.push_back(layer);
  }
  workload.memory = BlockMemory{4, Bytes{10}, Bytes{7}, Bytes{5}};
  return workload;
}

Bytes states_of(const WorkerMemory& memory) {
  return memory.parameters + memory.gradients + memory.optimizer;
}

TEST(TrainingMemory,
     StatesAreThoseOfTheZeroPaper) {  // figure 1: 7.5 G parameters on 64: 120, 31.4, 16.6, 1.9
  const auto states = [](Sharding sharding) {
    return states_of(worker_memory(in_blocks(7.5e9), 1, {.sharding = sharding, .ranks = 64}, {})).count / 1e9;
  };
  EXPECT_NEAR(states(find_sharding("none")->shares), 120, 0.05);
  EXPECT_NEAR(states(find_sharding("zero1")->shares), 31.4, 0.05);
  EXPECT_NEAR(states(find_sharding("zero2")->shares), 16.6, 0.05);
  EXPECT_NEAR(states(find_sharding("fsdp")->shares), 1.9, 0.05);
}

// 8 G values of 2 bytes on 8 workers, of which 1 % has 2 bytes of gradients and 12 of the optimizer.
TEST(TrainingMemory, FrozenValuesHaveNeitherGradientsNorOptimizerStates) {
  Workload workload = in_blocks(8e9);
  for (Layer& layer : workload.layers) {
    layer.frozen = layer.parameters / 100 * 99;
    layer.parameters -= layer.frozen;
  }
  const WorkerMemory whole = worker_memory(workload, 1, {}, {});
  EXPECT_DOUBLE_EQ(whole.parameters.count, 16e9);
  EXPECT_DOUBLE_EQ(whole.gradients.count, 0.16e9);
  EXPECT_DOUBLE_EQ(whole.optimizer.count, 0.96e9);
  const WorkerMemory shared =
      worker_memory(workload, 1, {.sharding = find_sharding("fsdp")->shares, .ranks = 8}, {});
  EXPECT_DOUBLE_EQ(shared.parameters.count, 2e9);
  EXPECT_DOUBLE_EQ(shared.optimizer.count, 0.12e9);
  // two blocks of 2 G values in 2 bytes, and the gradient of the 1 % of one
  EXPECT_DOUBLE_EQ(shared.gathered.count, 8e9 + 0.04e9);
}

TEST(TrainingMemory, HsdpSharesWithinANode) {
  const ShardedExchange exchange{.sharding = find_sharding("hsdp")->shares, .ranks = 64, .group = 8};
  EXPECT_NEAR(states_of(worker_memory(in_blocks(8e9), 1, exchange, {})).count, 16e9, 1);
}

TEST(TrainingMemory, WholeGradientsAreNotShared) {  // 2, 2 and 12 bytes of 8 G parameters on 8
  const auto states = [](Sharding sharding) {
    const ShardedExchange exchange{.sharding = sharding, .ranks = 8, .whole_gradients = true};
    return states_of(worker_memory(in_blocks(8e9), 1, exchange, {})).count / 1e9;
  };
  EXPECT_NEAR(states(find_sharding("zero1")->shares), 16 + 16 + 12, 1e-9);
  EXPECT_NEAR(states(find_sharding("zero2")->shares), 16 + 16 + 12, 1e-9);
  EXPECT_NEAR(states(find_sharding("fsdp")->shares), 2 + 16 + 12, 1e-9);
}

TEST(TrainingMemory, GatheredUnitsGrowWithPrefetching) {  // (1 + p) blocks of 2 GB and a gradient of 2 GB
  const auto gathered = [](std::uint32_t prefetch, bool reshard) {
    const ShardedExchange exchange{.sharding = find_sharding("fsdp")->shares,
                                   .ranks = 64,
                                   .prefetch = prefetch,
                                   .reshard_after_forward = reshard};
    return worker_memory(in_blocks(4e9), 1, exchange, {}).gathered.count / 1e9;
  };
  EXPECT_NEAR(gathered(0, true), 4, 1e-9);
  EXPECT_NEAR(gathered(1, true), 6, 1e-9);
  EXPECT_NEAR(gathered(100, true), 10, 1e-9);
  EXPECT_NEAR(gathered(1, false), 10, 1e-9);
}

TEST(TrainingMemory, ActivationsAreOfAMicroBatch) {
  const WorkerMemory memory = worker_memory(in_blocks(4), 3, {.sharding = find_sharding("none")->shares}, {});
  EXPECT_DOUBLE_EQ(memory.activations.count, 3 * (4 * 10 + 7));
  EXPECT_DOUBLE_EQ(memory.outside.count, 15);
  EXPECT_DOUBLE_EQ(memory.gathered.count, 0);
  EXPECT_DOUBLE_EQ(memory.total().count, 4 * 16 + 3 * 47 + 15);
}

TEST(TrainingMemory, FormulasOfTheZeroPaperHold) {
  int rows = 0;
  for (const tests::PublishedRow& row : tests::published_rows(tests::llm_data / "memory.csv")) {
    if (row.at("kind") != "formula" || !row.at("source").starts_with("ZeRO paper")) continue;
    const std::string& name = row.at("sharding");
    const Sharding sharding = name == "ZeRO-1"   ? find_sharding("zero1")->shares
                              : name == "ZeRO-2" ? find_sharding("zero2")->shares
                                                 : find_sharding("fsdp")->shares;
    const auto gpus = static_cast<std::uint32_t>(*tests::published_number(row, "gpus"));
    const Workload workload = in_blocks(*tests::published_number(row, "params"));
    const double ours =
        states_of(worker_memory(workload, 1, {.sharding = sharding, .ranks = gpus}, {})).count / 1e9;
    const double published = *tests::published_number(row, "value");
    EXPECT_NEAR(ours, published, 0.006 * published + 0.006) << name << " on " << gpus;
    ++rows;
  }
  EXPECT_EQ(rows, 54);
}

}  // namespace
}  // namespace netmodels
