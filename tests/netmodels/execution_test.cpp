// Execution models: the rows, tensors of layers, and parts of a gradient by hand.
#include "netmodels/execution.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

using namespace literals;
using Sizes = std::vector<std::int64_t>;

Layer layer_of(std::string kind, std::int64_t parameters, double flops = 0, double activation = 0) {
  Layer layer;
  layer.kind = std::move(kind);
  layer.parameters = parameters;
  layer.forward_flops = Flops{flops};
  layer.activation = Bytes{activation};
  return layer;
}

/// Layers whose backward pass takes a given time each, in forward order.
std::vector<Layer> timed(const std::vector<std::pair<std::int64_t, Seconds>>& sizes) {
  std::vector<Layer> layers;
  for (const auto& [parameters, backward] : sizes) {
    layers.push_back(layer_of("part", parameters));
    layers.back().backward = {backward, {}};
  }
  return layers;
}

Sizes sizes_of(const std::vector<Bucket>& buckets) {
  Sizes sizes;
  for (const Bucket& bucket : buckets) sizes.push_back(bucket.elements);
  return sizes;
}

const ExecutionModel& model(std::string_view name) { return **find_execution_model(name); }

TEST(ExecutionModels, HaveNamesSummariesAndSources) {
  std::set<std::string_view> names;
  for (const ExecutionModel& row : execution_models()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.summary.ends_with('.')) << row.name;
    EXPECT_FALSE(row.source.empty()) << row.name;
  }
}

TEST(ExecutionModels, OnlyDdpBroadcastsBuffers) {
  for (const ExecutionModel& row : execution_models())
    EXPECT_EQ(row.broadcasts_buffers, row.name.starts_with("ddp_")) << row.name;
}

TEST(ExecutionModels, TakeTheLimitsOfTheirFrameworks) {
  EXPECT_EQ(model("ddp_hook").parts.limits, (BucketLimits{1_MiB, 25_MiB}));
  EXPECT_EQ(model("horovod_fusion").parts.limits.later, 128_MiB);
  EXPECT_EQ(model("horovod_fusion").parts.cycle, 1_ms);
  EXPECT_EQ(model("deepspeed").parts.limits.first, Bytes{2e9});  // 5e8 elements
}

TEST(ExecutionModels, AnUnknownNameIsRefusedWithTheNearest) {
  const auto refused = find_execution_model("ddp_hok");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().what, "unknown execution model `ddp_hok`");
  EXPECT_NE(refused.error().hint.find("`ddp_hook`"), std::string::npos) << refused.error().hint;
}

// The last layer of ResNet-50: 2048 inputs, 1000 outputs, bias.
TEST(ParameterTensors, OfALinearLayerAreWeightAndBias) {
  EXPECT_EQ(parameter_tensors(layer_of("linear", 2049000, 4096000, 4000)), (Sizes{2048000, 1000}));
}

// The first convolution of ResNet-50: 7 x 7 x 3 weights for each of 64 channels of 112 x 112.
TEST(ParameterTensors, OfAConvolutionWithoutBiasAreOne) {
  EXPECT_EQ(parameter_tensors(layer_of("conv", 9408, 236027904, 3211264)), (Sizes{9408}));
}

TEST(ParameterTensors, OfANormalisationAreTwoOfEqualSize) {
  EXPECT_EQ(parameter_tensors(layer_of("batchnorm", 128, 3211264, 3211264)), (Sizes{64, 64}));
  EXPECT_EQ(parameter_tensors(layer_of("layernorm", 1536)), (Sizes{768, 768}));
}

TEST(ParameterTensors, OfOtherLayersCountAsOne) {
  EXPECT_EQ(parameter_tensors(layer_of("embedding", 23440896, 0, 1572864)), (Sizes{23440896}));
  EXPECT_EQ(parameter_tensors(layer_of("part", 10)), (Sizes{10}));
  EXPECT_TRUE(parameter_tensors(layer_of("relu", 0, 5, 20)).empty());
}

TEST(CutGradient, PerTensorMakesABucketOfEachTensorFromTheLastOn) {
  const std::vector<Layer> layers{layer_of("part", 10), layer_of("relu", 0), layer_of("batchnorm", 8)};
  const std::vector<Bucket> buckets = cut_gradient(layers, model("per_tensor").parts, 1);
  EXPECT_EQ(sizes_of(buckets), (Sizes{4, 4, 10}));
  EXPECT_EQ(buckets[1].lowest_layer, 2U);
  EXPECT_EQ(buckets[2].lowest_layer, 0U);
  EXPECT_EQ(buckets[2].bytes, 40_B);
}

TEST(CutGradient, WithoutACycleFollowsTheLimits) {
  const std::vector<Layer> layers = timed({{1000, 1_ms}, {1000, 1_ms}, {1000, 1_ms}});
  EXPECT_EQ(sizes_of(cut_gradient(layers, {.limits = {4_B, Bytes{}}}, 1)), (Sizes{1000, 2000}));
  EXPECT_EQ(sizes_of(cut_gradient(layers, model("after_backward").parts, 1)), (Sizes{3000}));
}

// Ready after 0.4, 0.8, 1.5 and 3.0 ms: the cycles of 1, 2 and 3 ms send two, one and one.
TEST(CutGradient, ACycleSendsWhatIsReady) {
  const std::vector<Layer> layers = timed({{1, 1.5_ms}, {2, 0.7_ms}, {4, 0.4_ms}, {8, 0.4_ms}});
  const std::vector<Bucket> buckets = cut_gradient(layers, model("horovod_fusion").parts, 1);
  ASSERT_EQ(sizes_of(buckets), (Sizes{12, 2, 1}));
  EXPECT_NEAR(buckets[0].delay.count, 0.2e-3, 1e-15);
  EXPECT_NEAR(buckets[1].delay.count, 0.5e-3, 1e-15);
  EXPECT_NEAR(buckets[2].delay.count, 0, 1e-15);
  EXPECT_EQ(buckets[0].highest_layer, 3U);
  EXPECT_EQ(buckets[0].lowest_layer, 2U);
}

TEST(CutGradient, AFusionBufferHoldsAtMostItsLimit) {  // 8 + 8 bytes fit into 20, a third does not
  const std::vector<Layer> layers = timed({{2, Seconds{}}, {2, Seconds{}}, {2, 0.5_ms}, {9, Seconds{}}});
  const GradientParts parts{.limits = {20_B, 20_B}, .cycle = 1_ms};
  EXPECT_EQ(sizes_of(cut_gradient(layers, parts, 1)), (Sizes{9, 4, 2}));
}

TEST(CutGradient, EveryValueIsSentOnceByEveryModel) {
  std::vector<Layer> layers = timed({{5, 3_ms}, {0, 1_ms}, {7, 2_ms}, {70000000, 1_ms}});
  layers.push_back(layer_of("batchnorm", 128));
  for (const ExecutionModel& row : execution_models()) {
    std::int64_t sum = 0;
    for (const Bucket& bucket : cut_gradient(layers, row.parts, 1)) sum += bucket.elements;
    EXPECT_EQ(sum, 70000140) << row.name;
  }
}

// ResNet-50 has 53 batch normalisations of together 26560 channels.
TEST(KnownBuffers, AreRunningMeansVariancesAndCounters) {
  EXPECT_EQ(known_buffers(std::vector{layer_of("batchnorm", 128)}), 520_B);  // 2 x 64 x 4 + 8
  EXPECT_EQ(known_buffers(std::vector{layer_of("layernorm", 128), layer_of("conv", 64)}), Bytes{});
  std::vector<Layer> layers(52, layer_of("batchnorm", 2));
  layers.push_back(layer_of("batchnorm", 2 * (26560 - 52)));
  EXPECT_EQ(known_buffers(layers), 212904_B);
}

}  // namespace
}  // namespace netmodels
