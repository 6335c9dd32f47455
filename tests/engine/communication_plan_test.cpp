// The graph of a step: when buckets are ready, and compression times with their origin.
#include "sim/engine/communication_plan.hpp"

#include <string_view>

#include <gtest/gtest.h>

#include "kernels/catalogue.hpp"
#include "sim/engine/compression_cost.hpp"
#include "tests/arm_parts.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

netmodels::StepGraph graph_of(const scenario::Scenario& scenario, std::uint32_t workers = 4) {
  const StepSettings settings = step_settings_of(scenario);
  CommunicationPlan plan(settings, {});
  plan.plan(workers);
  return plan.graph();
}

std::vector<netmodels::Seconds> times_of(const netmodels::StepGraph& graph, std::string_view name) {
  std::vector<netmodels::Seconds> times;
  for (const netmodels::StepOperation& operation : graph.operations) {
    if (operation.name == name) times.push_back(operation.duration);
  }
  return times;
}

TEST(CommunicationPlan, ComputesAtTheBatch) {
  scenario::Scenario scenario = plain(4, 1_ms, 1_Gbps, 1);
  scenario.work.training.batch = 20;
  scenario.work.workload.host_overhead = {3_ms, 1_ms};
  const netmodels::StepGraph graph = graph_of(scenario);
  EXPECT_NEAR(graph.total("forward").count, 0.080, 1e-15);
  EXPECT_NEAR(graph.total("backward").count, 0.160, 1e-15);
  EXPECT_NEAR(graph.total("host overhead").count, 0.023, 1e-15);
  EXPECT_EQ(graph.total("optimizer"), 1_ms);
  EXPECT_NEAR(graph.computing.count, 0.264, 1e-15);
}

TEST(CommunicationPlan, BucketsAreReadyLayerByLayerFromTheBack) {
  scenario::Scenario scenario = layer_by_layer(4, 1_ms, 1_Gbps, 1);
  scenario.exchange.overlap = true;
  const netmodels::StepGraph graph = graph_of(scenario);
  const auto pieces = times_of(graph, "backward");
  ASSERT_EQ(pieces.size(), 4U);
  for (const netmodels::Seconds piece : pieces) EXPECT_NEAR(piece.count, 0.020, 1e-14);
  EXPECT_EQ(graph.collectives.size(), 4U);
  scenario.exchange.overlap = false;
  EXPECT_EQ(times_of(graph_of(scenario), "backward").size(), 1U);  // all is exchanged after it
}

TEST(CommunicationPlan, AStatedCompressionTimeIsSpreadOverBucketsByTheirValues) {
  scenario::Scenario scenario = layer_by_layer(4, 1_ms, 1_Gbps, 1);
  scenario.work.workload.layers[3].parameters = 5000000;  // 5 of 8 million
  scenario.exchange.compression = sent_as("topk", 0.01, 8_ms);
  const auto compress = times_of(graph_of(scenario), "compress");
  ASSERT_EQ(compress.size(), 4U);
  EXPECT_NEAR(compress[0].count, 5e-3, 1e-15);
  EXPECT_NEAR(compress[1].count, 1e-3, 1e-15);
}

TEST(CommunicationPlan,
     EachBucketRestoresAMessageOfEachWorker) {  // of each layer 20 us, and 3 x (1 us + 10^6 x 1 ns)
  scenario::Scenario scenario = layer_by_layer(4, 1_ms, 1_Gbps, 1);
  scenario.exchange.compression = sent_as("topk", 0.01);
  scenario.exchange.compression.kernels.rows = {
      {.method = "topk", .cost = {20_us, {}, {}}, .restoring = {{0.01, 1_us, {1e-9}}}}};
  const netmodels::StepGraph graph = graph_of(scenario);
  const auto compress = times_of(graph, "compress");
  const auto restore = times_of(graph, "restore");
  ASSERT_EQ(compress.size(), 4U);
  ASSERT_EQ(restore.size(), 4U);
  for (const netmodels::Seconds bucket : compress) EXPECT_NEAR(bucket.count, 20e-6, 1e-15);
  for (const netmodels::Seconds bucket : restore) EXPECT_NEAR(bucket.count, 3 * 1.001e-3, 1e-15);
}

TEST(CommunicationPlan, ADeviceGivesAFloorOfCompressionTime) {
  scenario::Scenario scenario = plain(4, 1_ms, 1_Gbps, 1);
  scenario.exchange.compression = sent_as("topk", 0.01);
  scenario.work.device = simple_device();
  const auto* format = *kernels::find_wire_format("topk");
  ASSERT_TRUE(format->memory_per_element.has_value());
  const double bytes = 4e6 * *format->memory_per_element + 40000 * 8;
  EXPECT_NEAR(graph_of(scenario).total("compress").count, bytes / 1e12, 1e-18);
}

TEST(CommunicationPlan, AWorkerAloneCompressesNothing) {
  scenario::Scenario scenario = plain(1, 1_ms, 1_Gbps, 1);
  scenario.exchange.compression = sent_as("topk", 0.01, 8_ms);
  EXPECT_EQ(graph_of(scenario, 1).total("compress"), netmodels::Seconds{});
}

TEST(CommunicationPlan, AModelIsSentAtOnceWithoutCompressionAsItIs) {
  scenario::Scenario scenario = layer_by_layer(4, 1_ms, 1_Gbps, 1);
  const StepSettings settings = step_settings_of(scenario);
  CommunicationPlan plan(settings, {Traffic::parameters, {}});
  plan.plan(4);
  ASSERT_EQ(plan.graph().collectives.size(), 1U);
  EXPECT_EQ(plan.graph().operations[plan.graph().collectives[0]].operation.size, 16_MB);
  EXPECT_EQ(plan.graph().total("compress"), netmodels::Seconds{});
  for (const netmodels::Collective* row : plan.exchange().candidates)
    EXPECT_EQ(row->kind, netmodels::CollectiveKind::all_reduce);
}

// 4 M values, of which 1 % are sent with an index of 4 bytes each.
TEST(CommunicationPlan, TheCompressedChangeOfAModelIsSentAtOnce) {
  scenario::Scenario scenario = layer_by_layer(4, 1_ms, 1_Gbps, 1);
  scenario.exchange.compression = sent_as("topk", 0.01, 8_ms);
  const StepSettings settings = step_settings_of(scenario);
  CommunicationPlan plan(settings, {Traffic::parameters, {}});
  plan.plan(4);
  ASSERT_EQ(plan.graph().collectives.size(), 1U);
  EXPECT_EQ(plan.graph().operations[plan.graph().collectives[0]].operation.size,
            netmodels::Bytes{4 * 8 * 40000});
  EXPECT_EQ(plan.graph().total("compress"), 8_ms);
  for (const netmodels::Collective* row : plan.exchange().candidates)
    EXPECT_EQ(row->kind, netmodels::CollectiveKind::all_gather);
}

TEST(CommunicationPlan, TimesOfAllTrialsAreSpentWhateverIsSent) {
  scenario::Scenario scenario = plain(4, 1_ms, 1_Gbps, 1);
  scenario.exchange.compression.times = {{"topk", 0.1, 20_ms}, {"topk", 0.01, 10_ms}};
  const ChosenCompression chosen{{"topk", 0.1}, {{"topk", 0.1}, {"topk", 0.01}}};
  const StepSettings settings = step_settings_of(scenario);
  CommunicationPlan plan(settings, {Traffic::gradients, chosen});
  plan.plan(4);  // the second is compressed from a tenth of the values: 1 ms
  EXPECT_NEAR(plan.graph().total("compress").count, 0.021, 1e-15);
}

TEST(CompressionTimeOrigin, SaysWhereTheTimeComesFrom) {
  scenario::Scenario scenario = plain(4, 1_ms, 1_Gbps, 1);
  EXPECT_EQ(compressing_origin_of(scenario), "none");
  scenario.exchange.compression.method = "topk";
  EXPECT_EQ(compressing_origin_of(scenario), "not known for this device, counted as 0");
  scenario.work.device = simple_device();
  EXPECT_EQ(compressing_origin_of(scenario), "a floor: memory traffic on simple device");
  scenario.exchange.compression.warm_up = {.shape = policies::RatioShape::dense,
                                           .steps = 5};  // takes no time
  EXPECT_EQ(compressing_origin_of(scenario), "a floor: memory traffic on simple device");
  scenario.exchange.compression.time = 1_ms;
  EXPECT_EQ(compressing_origin_of(scenario), "as stated");
}

}  // namespace
}  // namespace sim::engine
