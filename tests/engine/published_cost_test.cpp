// Published compression times by hand: per tensor, per value scaled by memory bandwidth, and their range.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/engine/compression_cost.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using scenario::CostChoice;
using scenario::CostLevel;

constexpr double kRounding = 1e-15;
constexpr std::int64_t kAll = 4000000;  ///< values of the gradient

/// Top-k takes 100 us per tensor and 1 ns per value on a device of 1 TB/s; 0.5 to 3 times that was published.
scenario::Scenario published() {
  scenario::Scenario scenario = plain(4, {}, 1_Gbps, 1);
  scenario.work.device = simple_device();  // 1 TB/s
  scenario.exchange.compression.method = "topk";
  scenario.exchange.compression.ratio = 0.01;
  netmodels::MeasuredKernel row{"topk", {{}, {1e-9}, {}}, 0, 1, kAll};
  row.per_tensor = {1e-4};
  row.low = 0.5;
  row.high = 3;
  scenario.exchange.compression.framework = {.device = "a device",
                                             .stack = "a stack",
                                             .memory_bandwidth = netmodels::Bandwidth{1e12},
                                             .rows = {row}};
  return scenario;
}

CompressionCost cost_of(const scenario::Scenario& scenario, std::int64_t tensors = 10) {
  return costs_of(scenario).compressing({"topk", 0.01}, kAll, tensors);
}

constexpr double kFloor = 48.32e-6;  ///< 12 bytes a value and 8 a kept one, over 1 TB/s

TEST(PublishedCost, IsPerTensorAndPerValue) {  // 10 x 100 us + 4e6 x 1 ns
  const CompressionCost cost = cost_of(published());
  EXPECT_EQ(cost.level, CostLevel::framework);
  EXPECT_NEAR(cost.assumed.count, 5e-3, kRounding);
  EXPECT_NEAR(cost.least_published->count, 2.5e-3, kRounding);
  EXPECT_NEAR(cost.most->count, 15e-3, kRounding);
  EXPECT_TRUE(cost.uncertain());
}

TEST(PublishedCost, BeginsAtTheFloorUnlessTheStackIsChosen) {
  scenario::Scenario scenario = published();
  EXPECT_NEAR(cost_of(scenario).least.count, kFloor, kRounding);
  scenario.exchange.compression.cost = CostChoice::framework;
  EXPECT_NEAR(cost_of(scenario).least.count, 2.5e-3, kRounding);
}

TEST(PublishedCost, OfValuesFollowsTheMemoryAndOfLaunchesDoesNot) {  // half the bandwidth: 1 ms + 2 x 4 ms
  scenario::Scenario scenario = published();
  scenario.work.device->memory_bandwidth = {0.5e12};
  const CompressionCost cost = cost_of(scenario);
  EXPECT_NEAR(cost.assumed.count, 9e-3, kRounding);
  EXPECT_NEAR(cost.least_published->count, 9e-3 * 0.5 / 2, kRounding);  // doubled on another device
  EXPECT_NEAR(cost.most->count, 9e-3 * 3 * 2, kRounding);
}

TEST(PublishedCost, IsWiderWhereTheDeviceIsUnknown) {
  scenario::Scenario scenario = published();
  scenario.work.device.reset();
  const CompressionCost cost = cost_of(scenario);
  EXPECT_NEAR(cost.assumed.count, 5e-3, kRounding);
  EXPECT_NEAR(cost.least.count, 1.25e-3, kRounding);
  EXPECT_NEAR(cost.most->count, 30e-3, kRounding);
}

TEST(MeasuredInAFramework, OnTheOwnDeviceIsNeitherScaledNorWidenedAndNeedsNoFloor) {
  scenario::Scenario scenario = published();
  scenario.exchange.compression.framework.measured = true;
  scenario.exchange.compression.framework.memory_bandwidth.reset();
  EXPECT_NEAR(cost_of(scenario).most->count, 30e-3, kRounding);  // as on another device
  scenario.exchange.compression.measured_on_device = true;
  const CompressionCost cost = cost_of(scenario);
  EXPECT_EQ(cost.level, CostLevel::framework);
  EXPECT_NEAR(cost.assumed.count, 5e-3, kRounding);
  EXPECT_NEAR(cost.least.count, 2.5e-3, kRounding);
  EXPECT_NEAR(cost.most->count, 15e-3, kRounding);
  scenario.exchange.compression.framework.memory_bandwidth = netmodels::Bandwidth{2e12};  // of no account
  EXPECT_NEAR(cost_of(scenario).assumed.count, 5e-3, kRounding);
}

TEST(MeasuredInAFramework, IsSaidToBeMeasured) {
  scenario::Scenario scenario = published();
  scenario.exchange.compression.framework.measured = true;
  scenario.exchange.compression.measured_on_device = true;
  EXPECT_THAT(compressing_origin_of(scenario), ::testing::StartsWith("measured in a stack on a device, "));
  EXPECT_THAT(compressing_origin_of(scenario), ::testing::Not(::testing::HasSubstr("floor")));
}

TEST(PublishedCost, OfRestoringIsHalfTheMemoryTrafficOfEachMessage) {  // three others
  const CompressionCost cost = costs_of(published()).restoring({"topk", 0.01}, kAll, 4);
  EXPECT_NEAR(cost.assumed.count, 3 * kFloor / 2, kRounding);
}

TEST(PublishedCost, YieldsToWhatWasMeasuredOrStated) {
  scenario::Scenario scenario = published();
  scenario.exchange.compression.kernels.rows = {{"topk", {{2e-3}, {}, {}}, 0.05, 1000, kAll}};
  CompressionCost cost = cost_of(scenario);
  EXPECT_EQ(cost.level, CostLevel::kernels);
  EXPECT_NEAR(cost.least.count, 1.9e-3, kRounding);
  EXPECT_NEAR(cost.most->count, 2.1e-3, kRounding);
  scenario.exchange.compression.time = 7_ms;
  cost = cost_of(scenario);
  EXPECT_EQ(cost.level, CostLevel::stated);
  EXPECT_FALSE(cost.uncertain());
}

TEST(PublishedCost, OfRestoringThatWasNotMeasuredHasNoUpperEnd) {
  scenario::Scenario scenario = published();
  scenario.exchange.compression.kernels.rows = {{"topk", {{2e-3}, {}, {}}, 0.05, 1000, kAll}};
  const CompressionCost cost = costs_of(scenario).restoring({"topk", 0.01}, kAll, 4);
  EXPECT_EQ(cost.assumed, netmodels::Seconds{});
  EXPECT_FALSE(cost.most.has_value());
}

TEST(PublishedCost, CanBeChosenOverWhatWasMeasured) {
  scenario::Scenario scenario = published();
  scenario.exchange.compression.kernels.rows = {{"topk", {{2e-3}, {}, {}}, 0.05, 1000, kAll}};
  scenario.exchange.compression.cost = CostChoice::framework;
  EXPECT_NEAR(cost_of(scenario).assumed.count, 5e-3, kRounding);
  scenario.exchange.compression.cost = CostChoice::floor;
  const CompressionCost floor = cost_of(scenario);
  EXPECT_EQ(floor.level, CostLevel::floor);
  EXPECT_NEAR(floor.assumed.count, kFloor, kRounding);
  EXPECT_NEAR(floor.most->count, 15e-3, kRounding);
  EXPECT_NEAR(floor.least_published.value().count, 2.5e-3,
              kRounding);  // what was published is said all the same
}

TEST(PublishedCost, AStatedTimeOfZeroIsFreeWhateverIsPublished) {
  scenario::Scenario scenario = published();
  scenario.exchange.compression.time = 0_s;
  const CompressionCost cost = cost_of(scenario);
  EXPECT_EQ(cost.level, CostLevel::stated);
  EXPECT_EQ(cost.assumed, netmodels::Seconds{});
  EXPECT_EQ(cost.least, netmodels::Seconds{});
  EXPECT_EQ(cost.most, netmodels::Seconds{});
  EXPECT_EQ(costs_of(scenario).level("topk"), CostLevel::stated);
  EXPECT_FALSE(costs_of(scenario).unstated_whole(4));
  EXPECT_EQ(compressing_origin_of(scenario), "stated as 0 s: free");
  scenario.exchange.compression.time.reset();
  scenario.exchange.compression.times = {{"topk", 0.01, 0_s}};
  EXPECT_EQ(cost_of(scenario).level, CostLevel::stated);
  EXPECT_EQ(cost_of(scenario).most, netmodels::Seconds{});
}

TEST(CompressionLevel, IsUnknownWithoutDeviceMeasurementAndPublication) {
  scenario::Scenario scenario = plain(4, {}, 1_Gbps, 1);
  EXPECT_EQ(costs_of(scenario).level("none"), CostLevel::stated);
  EXPECT_EQ(costs_of(scenario).level("topk"), CostLevel::unknown);
  EXPECT_FALSE(cost_of(scenario).most.has_value());
  scenario.work.device = simple_device();
  EXPECT_EQ(costs_of(scenario).level("topk"), CostLevel::floor);
  EXPECT_FALSE(cost_of(scenario).most.has_value());
  scenario.exchange.compression.kernels.rows = {{"topk", {{2e-5}, {1e-9}, {2e-8}}, 0.05, 1000, kAll}};
  EXPECT_EQ(costs_of(scenario).level("topk"), CostLevel::kernels);
  EXPECT_EQ(costs_of(scenario).level("dgc"), CostLevel::floor);
  scenario.exchange.compression.times = {{"dgc", 0.1, 40_ms}};
  EXPECT_EQ(costs_of(scenario).level("dgc"), CostLevel::stated);
}

TEST(CompressionOrigin, NamesTheStackItsDeviceAndTheFloor) {
  EXPECT_EQ(
      compressing_origin_of(published()),
      "published for a stack on a device, 4.4 ms for the whole gradient (2.2 ms to 13 ms); a floor: memory "
      "traffic on simple device: 48 us; with a message of each worker restored at half its memory traffic");
}

}  // namespace
}  // namespace sim::engine
