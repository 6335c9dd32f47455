// Gradient buckets: the real ones of ResNet-50, limits, and the property that nothing is lost.
#include "netmodels/buckets.hpp"

#include <array>
#include <random>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

using namespace literals;

std::vector<Layer> layers_of(std::initializer_list<std::int64_t> parameters) {
  std::vector<Layer> layers;
  for (const std::int64_t count : parameters) {
    Layer layer;
    layer.parameters = count;
    layer.backward = {{}, 1_ms};
    layers.push_back(layer);
  }
  return layers;
}

Layer layer_with(std::int64_t parameters) {
  Layer layer;
  layer.parameters = parameters;
  return layer;
}

/// A convolution without bias and the batch normalisation after it.
void add_convolution(std::vector<Layer>& layers, std::int64_t inputs, std::int64_t outputs,
                     std::int64_t window) {
  layers.push_back(layer_with(inputs * outputs * window * window));
  layers.push_back(layer_with(2 * outputs));
}

/// ResNet-50 as defined by He et al., "Deep Residual Learning for Image Recognition", CVPR 2016, Table 1.
std::vector<Layer> resnet50() {
  std::vector<Layer> layers;
  add_convolution(layers, 3, 64, 7);
  std::int64_t inputs = 64;
  const std::array<std::int64_t, 4> widths{64, 128, 256, 512};
  const std::array<int, 4> blocks{3, 4, 6, 3};
  for (std::size_t stage = 0; stage < widths.size(); ++stage) {
    const std::int64_t width = widths[stage];
    for (int block = 0; block < blocks[stage]; ++block) {
      add_convolution(layers, inputs, width, 1);
      add_convolution(layers, width, width, 3);
      add_convolution(layers, width, 4 * width, 1);
      if (block == 0) add_convolution(layers, inputs, 4 * width, 1);
      inputs = 4 * width;
    }
  }
  layers.push_back(layer_with(2048 * 1000 + 1000));
  return layers;
}

std::vector<std::int64_t> elements_of(const std::vector<Bucket>& buckets) {
  std::vector<std::int64_t> elements;
  for (const Bucket& bucket : buckets) elements.push_back(bucket.elements);
  return elements;
}

// NCCL kernels of ResNet-50 under DDP on 2 x A100, PyTorch profiler trace of HolisticTraceAnalysis (MIT).
TEST(GradientBuckets, AreThoseOfAProfiledResNet50) {
  const std::vector<std::int64_t> profiled{2049000, 7875584, 6563840, 6637568, 2431040};
  EXPECT_EQ(elements_of(gradient_buckets(resnet50(), {})), profiled);
}

TEST(GradientBuckets, BytesAreFourPerElement) {
  EXPECT_EQ(gradient_buckets(resnet50(), {}).front().bytes, Bytes{8196000});
}

TEST(GradientBuckets, CloseWhenTheLimitIsReachedExactly) {
  const auto layers = layers_of({5, 10, 10});
  EXPECT_EQ(elements_of(gradient_buckets(layers, {40_B, 40_B})), (std::vector<std::int64_t>{10, 10, 5}));
  EXPECT_EQ(elements_of(gradient_buckets(layers, {40_B, 41_B})), (std::vector<std::int64_t>{10, 15}));
}

TEST(GradientBuckets, ZeroIsTheWholeGradientAtOnce) {
  const auto buckets = gradient_buckets(resnet50(), {Bytes{}, Bytes{}});
  ASSERT_EQ(buckets.size(), 1U);
  EXPECT_EQ(buckets[0].elements, 25557032);
  EXPECT_EQ(buckets[0].lowest_layer, 0U);
}

TEST(GradientBuckets, ZeroLaterLimitLeavesTwoBuckets) {
  EXPECT_EQ(elements_of(gradient_buckets(layers_of({1, 2, 3, 4}), {4_B, Bytes{}})),
            (std::vector<std::int64_t>{4, 6}));
}

TEST(GradientBuckets, ModelWithoutParametersHasNone) {
  EXPECT_TRUE(gradient_buckets(layers_of({0, 0}), {}).empty());
  EXPECT_TRUE(gradient_buckets({}, {}).empty());
}

TEST(GradientBuckets, AreReadyAfterTheLowestLayerThatTheyHold) {
  const auto layers = layers_of({0, 7, 0, 3, 2, 0});
  const auto buckets = gradient_buckets(layers, {8_B, 12_B});
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_EQ(buckets[0].lowest_layer, 4U);
  EXPECT_EQ(buckets[1].lowest_layer, 3U);
  EXPECT_EQ(buckets[2].lowest_layer, 1U);
  EXPECT_EQ(buckets[2].highest_layer, 1U);
  EXPECT_NEAR(ready_time(layers, buckets[0], 1).count, 0.002, 1e-15);  // layers 5 and 4
  EXPECT_NEAR(ready_time(layers, buckets[1], 2).count, 0.006, 1e-15);
  EXPECT_NEAR(ready_time(layers, buckets[2], 1).count, 0.005, 1e-15);  // layer 0 is not waited for
}

TEST(GradientBuckets, HoldEveryParameterOnceForAnyLimits) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Layer> layers;
    std::int64_t total = 0;
    for (auto index = random() % 40; index > 0; --index) {
      layers.push_back(layer_with(static_cast<std::int64_t>((random() % 5000) * (random() % 2))));
      total += layers.back().parameters;
    }
    const Bytes first{static_cast<double>(random() % 20000)};
    const Bytes later{static_cast<double>(random() % 20000)};
    std::int64_t sum = 0;
    std::size_t bound = layers.size();
    for (const Bucket& bucket : gradient_buckets(layers, {first, later})) {
      sum += bucket.elements;
      EXPECT_LT(bucket.highest_layer, bound);
      EXPECT_LE(bucket.lowest_layer, bucket.highest_layer);
      bound = bucket.lowest_layer;
    }
    EXPECT_EQ(sum, total);
  }
}

}  // namespace
}  // namespace netmodels
