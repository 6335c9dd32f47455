// Replicas on several devices by hand: what a device computes, keeps, exchanges, and waits for.
#include "netmodels/model_parallel.hpp"

#include <gtest/gtest.h>

namespace netmodels {
namespace {

using namespace netmodels::literals;

constexpr Bytes hidden{1000};

/// An embedding, four blocks of two layers and a head: 8 ms forward and 16 ms backward a sample in each
/// block.
Workload four_blocks(std::string head = "linear") {
  Workload workload;
  const auto add = [&](std::uint32_t block, std::string kind, std::int64_t parameters, Seconds forward) {
    Layer layer;
    layer.kind = std::move(kind);
    layer.block = block;
    layer.parameters = parameters;
    layer.forward = {{}, forward};
    layer.backward = {{}, 2 * forward};
    workload.layers.push_back(layer);
  };
  add(0, "embedding", 500, {});
  for (std::uint32_t block = 1; block <= 4; ++block) {
    add(block, "linear", 60, 4_ms);
    add(block, "linear", 40, 4_ms);
  }
  add(5, std::move(head), 0, 2_ms);
  workload.memory = BlockMemory{4, Bytes{17000}, {}, Bytes{8000}};
  TokenWork& sample = workload.token_work.emplace();
  sample.tokens = 10;
  sample.work = Flops{1e9};
  sample.peak = FlopRate{1e12};
  sample.hidden = hidden;
  return workload;
}

constexpr LinearTime one_and_a_half{1_ms, 0.5_ms};

TEST(ModelParallel, ATensorGroupSharesEachLayerAndReducesItsOutput) {
  const Workload share = replica_share(four_blocks(), {.tensor = 4}, one_and_a_half, 1);
  EXPECT_EQ(share.parameters(), (500 + 4 * 100) / 4);
  // forward 34 ms / 4 and 1 + 4 * 2 all-reduces of 1.5 ms; backward 68 ms / 4 and 4 * 2 + 1
  EXPECT_DOUBLE_EQ(share.forward(1).count, 8.5e-3 + 9 * 1.5e-3);
  EXPECT_DOUBLE_EQ(share.backward(1).count, 17e-3 + 9 * 1.5e-3);
  EXPECT_DOUBLE_EQ(share.replica->exchanges.at(1).count, 18 * 1.5e-3);
  EXPECT_EQ(share.token_work->peak, FlopRate{4e12});
}

// As captured from DTensor's ColwiseParallel and RowwiseParallel on 8 ranks: 15 all-reduces for two blocks of
// Llama, 2 of each in the forward pass, 5 in the backward pass, and one for the head.
TEST(ModelParallel, InputsThatAreNotSharedAreAddedUpForEachProduct) {
  Workload whole = four_blocks();
  const ModelParallel apart{.tensor = 4, .split_embedding = false, .shared_inputs = false};
  const Workload share = replica_share(whole, apart, one_and_a_half, 1);
  EXPECT_DOUBLE_EQ(share.forward(1).count, 8.5e-3 + 4 * 2 * 1.5e-3);
  EXPECT_DOUBLE_EQ(share.backward(1).count, 17e-3 + (4 * 5 + 1) * 1.5e-3);
  whole.token_work->input_products = 4;
  EXPECT_DOUBLE_EQ(replica_share(whole, apart, one_and_a_half, 1).backward(1).count,
                   17e-3 + (4 * 4 + 1) * 1.5e-3);
}

TEST(ModelParallel, ARepeatedForwardPassReducesAgain) {
  Workload whole = four_blocks();
  whole.token_work->repeated_exchanges = 1;
  const Workload share = replica_share(std::move(whole), {.tensor = 4}, one_and_a_half, 1);
  EXPECT_DOUBLE_EQ(share.backward(1).count, 17e-3 + (4 * 4 + 1) * 1.5e-3);
}

TEST(ModelParallel, AnEmbeddingMayBeWholeOnEachDevice) {
  const ModelParallel parallel{.tensor = 4, .split_embedding = false};
  const Workload share = replica_share(four_blocks(), parallel, one_and_a_half, 1);
  EXPECT_EQ(share.parameters(), 500 + 4 * 100 / 4);
  EXPECT_DOUBLE_EQ(share.forward(1).count, 8.5e-3 + 8 * 1.5e-3);  // nothing to add up of the embedding
  EXPECT_DOUBLE_EQ(share.backward(1).count, 17e-3 + 9 * 1.5e-3);
  EXPECT_DOUBLE_EQ(share.memory->outside.count, 2000);
  const Workload tied = replica_share(four_blocks("linear_tied"), parallel, one_and_a_half, 1);
  EXPECT_DOUBLE_EQ(tied.forward(1).count, 8e-3 + 2e-3 + 8 * 1.5e-3);  // the head whole
  EXPECT_DOUBLE_EQ(tied.backward(1).count, 16e-3 + 4e-3 + 8 * 1.5e-3);
  EXPECT_DOUBLE_EQ(tied.memory->outside.count, 8000);
}

TEST(ModelParallel, AnEmbeddingThatIsWholeIsHeldByTheFirstStage) {
  const auto more = [](const ModelParallel& parallel, const std::string& head) {
    return replica_share(four_blocks(head), parallel, {}, 8).replica->first_holds_more;
  };
  // the first of two stages: 500 of the embedding and 2 x 100 / 4; the last: 2 x 100 / 4
  EXPECT_EQ(more({.tensor = 4, .pipeline = 2, .split_embedding = false}, "linear"), 500);
  EXPECT_EQ(more({.tensor = 4, .pipeline = 2}, "linear"), 125);
  EXPECT_EQ(more({.tensor = 4, .pipeline = 2, .split_embedding = false}, "linear_tied"), 0);
  EXPECT_EQ(more({.tensor = 4, .split_embedding = false}, "linear"), 0);
}

TEST(ModelParallel, FrozenValuesAreSharedAsTrainedOnesAre) {
  Workload whole = four_blocks();
  for (Layer& layer : whole.layers) layer.frozen = 3 * layer.parameters;
  const Workload share = replica_share(whole, {.tensor = 4}, {}, 1);
  EXPECT_EQ(share.frozen(), 3 * share.parameters());
  EXPECT_EQ(share.replica->parameters, 900);
  // the first of two stages holds four times 125 more values than the last
  EXPECT_EQ(replica_share(whole, {.tensor = 4, .pipeline = 2}, {}, 8).replica->first_holds_more, 4 * 125);
  Workload tied = four_blocks("linear_tied");
  for (Layer& layer : tied.layers) layer.frozen = 3 * layer.parameters;
  EXPECT_EQ(replica_share(tied, {.pipeline = 2}, {}, 8).frozen(), 3 * (2 * 100 + 500));
}

TEST(ModelParallel, TheLastStageHasItsBlocksAndTheHead) {
  const Workload share = replica_share(four_blocks("linear_tied"), {.pipeline = 2}, {}, 8);
  ASSERT_EQ(share.layers.size(), 5U);
  EXPECT_EQ(share.layers.front().block, 1U);
  EXPECT_EQ(share.layers.back().block, 3U);
  EXPECT_EQ(share.parameters(), 2 * 100 + 500);  // a copy of the embedding for the tied head
  EXPECT_DOUBLE_EQ(share.forward(1).count, 2 * 8e-3 + 2e-3);
  EXPECT_EQ(replica_share(four_blocks(), {.pipeline = 2}, {}, 8).parameters(), 2 * 100);
}

TEST(ModelParallel, SequencesAreSharedInMemoryOrKeptWhole) {
  const BlockMemory shared = *replica_share(four_blocks(), {.tensor = 4}, {}, 1).memory;
  EXPECT_DOUBLE_EQ(shared.kept.count, 17000.0 / 4);
  EXPECT_DOUBLE_EQ(shared.outside.count, 2000);
  const BlockMemory whole =
      *replica_share(four_blocks(), {.tensor = 4, .sequence_parallel = false}, {}, 1).memory;
  EXPECT_DOUBLE_EQ(whole.kept.count, 4000 + 13000.0 / 4);
}

TEST(ModelParallel, TheFirstStageKeepsAMicroBatchForEachStage) {
  const auto kept = [](ModelParallel parallel, std::uint32_t micro_batches) {
    return replica_share(four_blocks(), parallel, {}, micro_batches).memory->kept.count / 17000;
  };
  EXPECT_DOUBLE_EQ(kept({.pipeline = 4}, 16), 4);
  EXPECT_DOUBLE_EQ(kept({.pipeline = 4}, 3), 3);
  EXPECT_DOUBLE_EQ(kept({.pipeline = 2, .interleave = 2}, 16), 2 + 1.0 / 2);
  // One micro-batch: the last stage has the logits besides its block, the first only its block.
  const BlockMemory last = *replica_share(four_blocks(), {.pipeline = 4}, {}, 1).memory;
  EXPECT_DOUBLE_EQ(last.kept.count, 17000);
  EXPECT_DOUBLE_EQ(last.outside.count, 8000);
}

TEST(ModelParallel, ThePipelineWaitsAndPassesOn) {
  Workload share = replica_share(four_blocks(), {.tensor = 2, .pipeline = 2}, {}, 8);
  share.accumulate(8);
  const double passes = (share.forward(8) + share.backward(8)).count;
  add_pipeline(share, {.tensor = 2, .pipeline = 2}, {1_ms, Bandwidth{1e6}});
  EXPECT_DOUBLE_EQ(share.replica->bubble.at(8).count, passes / 8);  // (p - 1) / m
  // 2 (m + p - 1) = 18 transfers of 1000 / 2 bytes: 1 ms and 0.5 ms each
  EXPECT_NEAR(share.replica->exchanges.at(8).count, 18 * 1.5e-3, 1e-12);
  EXPECT_NEAR(share.host_overhead.at(8).count, passes / 8 + 27e-3, 1e-12);
}

TEST(ModelParallel, InterleavingHalvesTheBubbleAndDoublesTheTransfers) {
  Workload share = replica_share(four_blocks(), {.pipeline = 2, .interleave = 2}, {}, 8);
  share.accumulate(8);
  const double passes = (share.forward(8) + share.backward(8)).count;
  add_pipeline(share, {.pipeline = 2, .interleave = 2}, {1_ms, Bandwidth{1e6}});
  EXPECT_DOUBLE_EQ(share.replica->bubble.at(8).count, passes / 16);
  EXPECT_NEAR(share.replica->exchanges.at(8).count, 2 * (16 + 1) * 2e-3, 1e-12);
}

}  // namespace
}  // namespace netmodels
