// Inputs with published ranges, drawn by hand.
#include "sim/engine/fitted_inputs.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/engine/compression_cost.hpp"
#include "sim/report/reason_text.hpp"
#include "tests/arm_parts.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> names_without_range(const scenario::Scenario& arm) {
  std::vector<std::string> names;
  for (const Reason& input : inputs_without_range(arm)) names.push_back(report::reason_text(input));
  return names;
}

TEST(FittedInputs, AreNoneWhereEverythingIsStated) {
  EXPECT_THAT(fitted_inputs(plain(4, 1_ms, kSlow, 3)), IsEmpty());
}

/// Half of the values between 0.5 and 2 with the mode 1 lie below 2 - sqrt(0.5 * 1.5 * 1) = 1.134.
TEST(FittedInputs, DrawTheGoodputOfAFabric) {
  scenario::Scenario arm = plain(4, 1_ms, kSlow, 3);
  arm.cluster.link_range = scenario::FabricRange{.kind = inputs::FabricKind::ethernet,
                                                 .name = "nccl_tcp over 1 Gbit/s Ethernet",
                                                 .low = {2_ms, kSlow * 0.5},
                                                 .mid = {1_ms, kSlow},
                                                 .high = {1_ms, kSlow * 2},
                                                 .source = "by hand"};
  const auto inputs = fitted_inputs(arm);
  ASSERT_THAT(inputs, SizeIs(1));
  EXPECT_EQ(report::input_text(inputs[0].range).name, "goodput of nccl_tcp over 1 Gbit/s Ethernet");
  EXPECT_THAT(std::string(report::input_text(inputs[0].range).measure), HasSubstr("calibrate probe nccl"));
  scenario::Scenario drawn = arm;
  draw_fitted(drawn, inputs[0].id, 0.5);
  EXPECT_NEAR(drawn.cluster.link.bandwidth / kSlow, 1.13397, 1e-5);
  draw_fitted(drawn, inputs[0].id, 1e-12);
  EXPECT_NEAR(drawn.cluster.link.bandwidth / kSlow, 0.5, 1e-5);
  EXPECT_NEAR(drawn.cluster.link.latency.count, 2e-3, 1e-8) << "the worst latency with the worst goodput";
  scenario::Scenario other = arm;
  draw_fitted(other, "goodput of something else", 0.1);
  EXPECT_EQ(other.cluster, arm.cluster);
}

/// Half of the values between 0 and 0.4 with the mode 0.1 lie below 0.4 - sqrt(0.3 * 0.4 / 2) = 0.15505.
TEST(FittedInputs, DrawWhatOverlapCostsWhereItIsPredicted) {
  scenario::Scenario arm = plain(4, 1_ms, kSlow, 3);
  arm.work.workload.device = "a device";
  arm.exchange.overlap_slowdown = 0.1;
  EXPECT_THAT(fitted_inputs(arm), IsEmpty()) << "it is stated, or measured";
  arm.exchange.overlap_slowdown_most = 0.4;
  const auto inputs = fitted_inputs(arm);
  ASSERT_THAT(inputs, SizeIs(1));
  EXPECT_EQ(report::input_text(inputs[0].range).name, "slowdown of computing by overlap on a device");
  EXPECT_EQ(report::reason_text(inputs[0].range), "0 % to 40 %");
  draw_fitted(arm, inputs[0].id, 0.5);
  EXPECT_NEAR(arm.exchange.overlap_slowdown, 0.15505, 1e-5);
}

/// The 95th percentile is the end of the range, the median the prediction.
TEST(FittedInputs, DrawTheUtilisationOfThePeak) {
  scenario::Scenario arm = plain(4, 1_ms, kSlow, 3);
  EXPECT_THAT(names_without_range(arm), Contains(HasSubstr("times of the layers")));
  arm.work.workload.utilisation_range = netmodels::UtilisationRange{
      .of = "stack mine in bf16", .within = 0.1, .runs = {}, .outside = {{.reason = "here", .slower = 2}}};
  EXPECT_THAT(names_without_range(arm), Not(Contains(HasSubstr("times of the layers"))));
  const auto inputs = fitted_inputs(arm);
  ASSERT_THAT(inputs, SizeIs(1));
  EXPECT_EQ(report::input_text(inputs[0].range).name, "utilisation of the peak (stack mine in bf16)");
  EXPECT_EQ(report::reason_text(inputs[0].range), "91 to 201 % of the predicted time of the passes");
  const auto ratio_at = [&](double share) {
    scenario::Scenario drawn = arm;
    draw_fitted(drawn, inputs[0].id, share);
    return drawn.work.workload.backward(2) / arm.work.workload.backward(2);
  };
  EXPECT_NEAR(ratio_at(0.5), 1, 1e-9);
  EXPECT_NEAR(ratio_at(0.95), arm.work.workload.utilisation_range->slower(), 1e-5);
  EXPECT_NEAR(ratio_at(0.05), 1 / 1.1, 1e-5);
}

/// A tenth of the passes are exchanges inside the replica, which keep their time.
TEST(FittedInputs, ADrawnUtilisationLeavesExchangesOfAReplicaAlone) {
  scenario::Scenario arm = plain(4, 1_ms, kSlow, 3);
  netmodels::Workload& workload = arm.work.workload;
  workload.utilisation_range =
      netmodels::UtilisationRange{.of = "stack mine in bf16", .within = 0.5, .runs = {}};
  const double batch = workload.reference_batch;
  const netmodels::Seconds passes = workload.forward(batch) + workload.backward(batch);
  workload.host_overhead = {1_s, {}};
  workload.replica = netmodels::ReplicaShare{
      .devices = 2, .parameters = 1, .exchanges = {passes * 0.1, {}}, .bubble = {1_s, {}}};
  draw_fitted(arm, "utilisation stack mine in bf16", 0.95);
  EXPECT_NEAR((workload.forward(batch) + workload.backward(batch)) / passes, 0.1 + 0.9 * 1.5, 1e-5);
  EXPECT_NEAR(workload.host_overhead.fixed.count, 0.1 + 0.9 * 1.5, 1e-5);
}

/// Half of the values between 1 and 4 with the mode 1 lie below 4 - sqrt(3 * 3 / 2) = 1.879.
TEST(FittedInputs, DrawTheGoodputInsideANode) {
  scenario::Scenario arm = plain(4, 1_ms, kSlow, 3);
  arm.cluster.workers_per_node = 2;
  arm.cluster.inner_link = netmodels::LinkState{1_ms, kSlow};
  arm.cluster.inner_link_range = scenario::FabricRange{.kind = inputs::FabricKind::ethernet,
                                                       .name = "gloo over 1 Gbit/s Ethernet",
                                                       .low = {1_ms, kSlow},
                                                       .mid = {1_ms, kSlow},
                                                       .high = {1_ms, kSlow * 4},
                                                       .source = "by hand"};
  const auto inputs = fitted_inputs(arm);
  ASSERT_THAT(inputs, SizeIs(1));
  EXPECT_EQ(report::input_text(inputs[0].range).name, "goodput inside a node of gloo over 1 Gbit/s Ethernet");
  draw_fitted(arm, inputs[0].id, 0.5);
  EXPECT_NEAR(arm.cluster.inner_link->bandwidth / kSlow, 4 - std::sqrt(4.5), 1e-9);
  EXPECT_EQ(arm.cluster.link.bandwidth, kSlow);
}

/// Between 1, 10 and 1000 ms: a quarter of the times lie below the square root of 1 * 10.
TEST(QuantileOfACost, IsEvenInTheLogarithmOnBothSidesOfTheAssumedTime) {
  const CompressionCost cost{10_ms, 1_ms, 1000_ms, {}, scenario::CostLevel::framework};
  EXPECT_NEAR(quantile_of(cost, 0.5).count, 10e-3, 1e-12);
  EXPECT_NEAR(quantile_of(cost, 0.25).count, 3.16228e-3, 1e-8);
  EXPECT_NEAR(quantile_of(cost, 0.75).count, 100e-3, 1e-9);
}

TEST(QuantileOfACost, RisesFromALowerBoundWithoutAnAssumedTimeAboveIt) {
  const CompressionCost bound{{}, {}, 100_ms, {}, scenario::CostLevel::floor};
  EXPECT_NEAR(quantile_of(bound, 0.25).count, 25e-3, 1e-12);
  const CompressionCost unknown{{}, {}, {}, {}, scenario::CostLevel::unknown};
  EXPECT_EQ(quantile_of(unknown, 0.9).count, 0);
}

/// Nothing is known above the floor, so that it is not drawn, and said.
TEST(FittedInputs, NameCompressionWithoutAnUpperEnd) {
  scenario::Scenario arm = plain(4, {}, 1_Gbps, 1);
  arm.work.device = simple_device();
  arm.exchange.compression.method = "topk";
  arm.exchange.compression.ratio = 0.01;
  EXPECT_THAT(fitted_inputs(arm), IsEmpty());
  EXPECT_THAT(names_without_range(arm), Contains(HasSubstr("time of compressing by `topk`")));
}

TEST(FittedInputs, NameTheExchangesInsideAReplicaWhereThereIsOne) {
  scenario::Scenario arm = plain(4, {}, 1_Gbps, 1);
  EXPECT_THAT(names_without_range(arm), SizeIs(1));  // the layers' times
  arm.work.workload.replica.emplace();
  EXPECT_THAT(names_without_range(arm), Contains("times of the exchanges inside a replica"));
}

/// Nine of ten sizes within 20 %: at the 95th percentile the times are 20 % longer, each of them.
TEST(FittedInputs, DrawMeasuredCollectivesByTheirError) {
  scenario::Scenario arm = plain(4, 1_ms, kSlow, 3);
  netmodels::MeasuredCollective row;
  row.p90_error = 0.2;
  row.times.segments = {{{}, 1_ms, {}}};
  arm.cluster.measured = {row};
  arm.cluster.collective_times = "table.yaml";
  const auto inputs = fitted_inputs(arm);
  ASSERT_THAT(inputs, SizeIs(1));
  EXPECT_EQ(report::reason_text(inputs[0].range), "up to 20 % off in nine of ten sizes");
  draw_fitted(arm, inputs[0].id, 0.95);
  EXPECT_NEAR(arm.cluster.measured[0].times.segments[0].latency.count, 1.2e-3, 1e-8);
}

}  // namespace
}  // namespace sim::engine
