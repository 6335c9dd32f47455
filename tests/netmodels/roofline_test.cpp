// Devices and rooflines, by hand.
#include "netmodels/roofline.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace netmodels {

// Devices: sustained rates, and what is refused.

namespace {

Device described_device() {
  Device made;
  made.peak = FlopRate{10e12};
  made.memory_bandwidth = Bandwidth{1e12};
  return made;
}

TEST(Device, WithoutKnownEfficienciesIsABound) {
  EXPECT_EQ(described_device().sustained_compute(), FlopRate{10e12});
  EXPECT_EQ(described_device().compute.source, "bound");
}

TEST(Device, SustainsAShareOfItsPeaks) {
  Device made = described_device();
  made.compute.share = 0.5;
  made.memory.share = 0.25;
  EXPECT_EQ(made.sustained_compute(), FlopRate{5e12});
  EXPECT_EQ(made.sustained_memory(), Bandwidth{0.25e12});
}

TEST(CheckDevice, RefusesImpossiblePeaksAndShares) {
  EXPECT_TRUE(check(described_device()).has_value());
  Device idle = described_device();
  idle.peak = FlopRate{};
  EXPECT_EQ(check(idle).error().what, "peak of 0 FLOP per second");
  Device still = described_device();
  still.memory_bandwidth = Bandwidth{std::numeric_limits<double>::infinity()};
  EXPECT_EQ(check(still).error().what, "memory bandwidth of 0 bytes per second");
  Device eager = described_device();
  eager.compute.share = 1.01;
  EXPECT_EQ(check(eager).error().hint, "a share of the peak in (0, 1]");
  Device empty = described_device();
  empty.memory.share = 0;
  EXPECT_FALSE(check(empty).has_value());
  Device early = described_device();
  early.launch = Seconds{-1};
  EXPECT_FALSE(check(early).has_value());
}

}  // namespace

// Roofline times: both bounds by hand, special kinds of layers, and the spreading of a total.

namespace {

using namespace literals;

Device roofline_device() {  // 5 TFLOP/s and 0.5 TB/s sustained
  Device made;
  made.peak = FlopRate{10e12};
  made.memory_bandwidth = Bandwidth{1e12};
  made.compute.share = 0.5;
  made.memory.share = 0.5;
  made.launch = 5_us;
  return made;
}

Layer roofline_layer(std::string kind, std::int64_t parameters, double forward_flops, double activation) {
  Layer made;
  made.kind = std::move(kind);
  made.parameters = parameters;
  made.forward_flops = Flops{forward_flops};
  made.backward_flops = Flops{2 * forward_flops};
  made.activation = Bytes{activation};
  return made;
}

TEST(Roofline, LayerWithManyFlopsIsBoundByCompute) {  // 10 x 1 GFLOP / 5 TFLOP/s = 2 ms; bytes need 0.44 ms
  const auto times =
      roofline(std::vector{roofline_layer("conv", 5'000'000, 1e9, 10e6)}, roofline_device(), 10);
  EXPECT_NEAR(times[0].forward.at(10).count, 2.005e-3, 1e-12);
  EXPECT_NEAR(times[0].backward.at(10).count, 4.005e-3, 1e-12);
  EXPECT_NEAR(times[0].forward.at(20).count, 4.005e-3, 1e-12);
}

TEST(Roofline, LayerWithManyBytesIsBoundByMemory) {
  // forward: (10 + 10 MB) x 10 + 20 MB = 220 MB / 0.5 TB/s; backward: 30 MB x 10 + 40 MB = 340 MB
  const auto times =
      roofline(std::vector{roofline_layer("batchnorm", 5'000'000, 1e6, 10e6)}, roofline_device(), 10);
  EXPECT_NEAR(times[0].forward.at(10).count, 445e-6, 1e-12);
  EXPECT_NEAR(times[0].backward.at(10).count, 685e-6, 1e-12);
  EXPECT_NEAR(times[0].forward.fixed.count, 45e-6, 1e-12);  // weights and launch do not grow with the batch
}

TEST(Roofline, InputIsTheOutputOfTheRowAbove) {  // (30 + 10 MB) / 0.5 TB/s
  const auto times =
      roofline(std::vector{roofline_layer("relu", 0, 0, 30e6), roofline_layer("maxpool", 0, 0, 10e6)},
               roofline_device(), 1);
  EXPECT_NEAR(times[1].forward.at(1).count, 85e-6, 1e-12);
  const auto three =
      roofline(std::vector{roofline_layer("relu", 0, 0, 30e6), roofline_layer("relu", 0, 0, 20e6),
                           roofline_layer("maxpool", 0, 0, 10e6)},
               roofline_device(), 1);
  EXPECT_NEAR(three[2].forward.at(1).count, 65e-6, 1e-12);  // (20 + 10 MB) / 0.5 TB/s
}

TEST(Roofline, AddReadsTwoInputsAndItsBackwardReadsNone) {  // 30 MB; backward: 10 read, 20 written
  const auto times = roofline(std::vector{roofline_layer("add", 0, 0, 10e6)}, roofline_device(), 1);
  EXPECT_NEAR(times[0].forward.at(1).count, 65e-6, 1e-12);
  EXPECT_NEAR(times[0].backward.at(1).count, 65e-6, 1e-12);
}

TEST(Roofline, EmbeddingReadsOnlyItsRowsButWritesAWholeGradient) {
  // forward: 1 + 1 MB; backward: 1 MB read, 400 MB written
  const auto times =
      roofline(std::vector{roofline_layer("embedding", 100'000'000, 0, 1e6)}, roofline_device(), 1);
  EXPECT_NEAR(times[0].forward.at(1).count, 9e-6, 1e-12);
  EXPECT_NEAR(times[0].backward.at(1).count, 807e-6, 1e-12);
}

TEST(Roofline, NoLayersTakeNoTime) { EXPECT_TRUE(roofline({}, roofline_device(), 1).empty()); }

std::vector<Layer> three_layers() {
  return {roofline_layer("conv", 1000, 1e9, 1e6), roofline_layer("relu", 0, 1e6, 1e6),
          roofline_layer("linear", 1'000'000, 1e8, 4e3)};
}

Seconds sum_at(const std::vector<PassTimes>& times, double batch) {
  Seconds sum;
  for (const PassTimes& layer : times) sum += layer.forward.at(batch) + layer.backward.at(batch);
  return sum;
}

TEST(Spread, AddsUpToTheTotal) {
  EXPECT_NEAR(sum_at(spread(three_layers(), 28_ms, roofline_device(), 64, 0), 64).count, 0.028, 1e-15);
  EXPECT_NEAR(sum_at(spread(three_layers(), 28_ms, roofline_device(), 64, 0), 32).count, 0.014, 1e-15);
}

TEST(Spread, KeepsTheProportionsOfTheRoofline) {
  const auto shape = roofline(three_layers(), roofline_device(), 64);
  const auto times = spread(three_layers(), 28_ms, roofline_device(), 64, 0);
  const double scale = times[0].forward.at(64) / shape[0].forward.at(64);
  for (std::size_t index = 0; index < shape.size(); ++index) {
    EXPECT_NEAR(times[index].backward.at(64) / shape[index].backward.at(64), scale, 1e-12);
  }
}

TEST(Spread, FixedShareDoesNotGrowWithTheBatch) {  // a quarter of 28 ms stays, the rest halves
  EXPECT_NEAR(sum_at(spread(three_layers(), 28_ms, roofline_device(), 64, 0.25), 32).count, 0.007 + 0.0105,
              1e-15);
}

TEST(Spread, LayersWithoutWorkShareEqually) {
  Device instant = roofline_device();
  instant.launch = Seconds{};
  const auto times = spread(std::vector{roofline_layer("other", 0, 0, 0), roofline_layer("other", 0, 0, 0)},
                            8_ms, instant, 1, 0);
  EXPECT_NEAR(times[0].forward.at(1).count, 0.002, 1e-15);
  EXPECT_NEAR(times[1].backward.at(1).count, 0.002, 1e-15);
}

}  // namespace
}  // namespace netmodels
