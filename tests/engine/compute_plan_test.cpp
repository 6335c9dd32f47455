// What a step computes: times of passes, readiness of buckets, and compression times with their origin.
#include "sim/engine/compute_plan.hpp"

#include <gtest/gtest.h>

#include "sim/engine/compression_time.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

ComputePlan compute_plan_of(const scenario::Scenario& scenario, std::uint32_t workers = 4) {
  return plan_compute(scenario, plan_exchange(scenario, workers), workers);
}

TEST(ComputePlan, SumsLayersUpAtTheBatch) {
  scenario::Scenario scenario = plain(4, 1_ms, 1_Gbps, 1);
  scenario.training.batch = 20;
  scenario.workload.host_overhead = {3_ms, 1_ms};
  const ComputePlan plan = compute_plan_of(scenario);
  EXPECT_NEAR(plan.forward.count, 0.080, 1e-15);
  EXPECT_NEAR(plan.backward.count, 0.160, 1e-15);
  EXPECT_NEAR(plan.host_overhead.count, 0.023, 1e-15);
  EXPECT_EQ(plan.optimizer, 1_ms);
  EXPECT_NEAR(plan.total().count, 0.264, 1e-15);
}

TEST(ComputePlan, BucketsAreReadyLayerByLayerFromTheBack) {
  const ComputePlan plan = compute_plan_of(layer_by_layer(4, 1_ms, 1_Gbps, 1));
  ASSERT_EQ(plan.ready.size(), 4U);
  for (std::size_t bucket = 0; bucket < 4; ++bucket) {
    EXPECT_NEAR(plan.ready[bucket].count, 0.020 * static_cast<double>(bucket + 1), 1e-15);
  }
}

TEST(ComputePlan, AStatedCompressionTimeIsSpreadOverBucketsByTheirValues) {
  scenario::Scenario scenario = layer_by_layer(4, 1_ms, 1_Gbps, 1);
  scenario.workload.layers[3].parameters = 5000000;  // 5 of 8 million
  scenario.compression = sent_as("topk", 0.01, 8_ms);
  const ComputePlan plan = compute_plan_of(scenario);
  ASSERT_EQ(plan.compress.size(), 4U);
  EXPECT_NEAR(plan.compress[0].count, 5e-3, 1e-15);
  EXPECT_NEAR(plan.compress[1].count, 1e-3, 1e-15);
}

TEST(ComputePlan,
     EachBucketRestoresAMessageOfEachWorker) {  // of each layer 20 us, and 3 x (1 us + 10^6 x 1 ns)
  scenario::Scenario scenario = layer_by_layer(4, 1_ms, 1_Gbps, 1);
  scenario.compression = sent_as("topk", 0.01);
  scenario.compression.kernels = {
      {.method = "topk", .cost = {20_us, {}, {}}, .restoring = {{0.01, 1_us, {1e-9}}}}};
  const ComputePlan plan = compute_plan_of(scenario);
  ASSERT_EQ(plan.compress.size(), 4U);
  for (const netmodels::Seconds bucket : plan.compress)
    EXPECT_NEAR(bucket.count, 20e-6 + 3 * 1.001e-3, 1e-15);
}

TEST(ComputePlan, ADeviceGivesAFloorOfCompressionTime) {
  scenario::Scenario scenario = plain(4, 1_ms, 1_Gbps, 1);
  scenario.compression = sent_as("topk", 0.01);
  scenario.device = simple_device();
  const auto* format = *kernels::find_wire_format("topk");
  ASSERT_TRUE(format->memory_per_element.has_value());
  const double bytes = 4e6 * *format->memory_per_element + 40000 * 8;
  EXPECT_NEAR(compute_plan_of(scenario).compress[0].count, bytes / 1e12, 1e-18);
}

TEST(ComputePlan, NothingIsCompressedForNobody) {
  scenario::Scenario scenario = plain(1, 1_ms, 1_Gbps, 1);
  scenario.compression = sent_as("topk", 0.01, 8_ms);
  EXPECT_EQ(compute_plan_of(scenario, 1).compress[0], netmodels::Seconds{});
}

TEST(CompressionTimeOrigin, SaysWhereTheTimeComesFrom) {
  scenario::Scenario scenario = plain(4, 1_ms, 1_Gbps, 1);
  EXPECT_EQ(compression_time_origin(scenario), "none");
  scenario.compression.method = "topk";
  EXPECT_EQ(compression_time_origin(scenario), "not known for this device, counted as 0");
  scenario.device = simple_device();
  EXPECT_EQ(compression_time_origin(scenario), "a floor: memory traffic on simple device");
  scenario.compression.time = 1_ms;
  EXPECT_EQ(compression_time_origin(scenario), "as stated");
}

}  // namespace
}  // namespace sim::engine
