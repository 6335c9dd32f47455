// Step times over times of compressing, by hand.
#include "sim/engine/compression_dependence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;

constexpr double kNearly = 1e-9;

/// Top-k of the whole gradient behind the backward pass on a device of 1 TB/s.
scenario::Scenario compressed() {
  scenario::Scenario scenario = plain(4, 1_ms, 1_Gbps, 1);
  scenario.exchange.overlap = false;
  scenario.exchange.compression.method = "topk";
  scenario.exchange.compression.ratio = 0.01;
  scenario.work.device = simple_device();
  return scenario;
}

ExplainedStep explained(const scenario::Scenario& scenario, bool dependence = true) {
  ClusterCache clusters;
  auto steps = explain(scenario, clusters, {.compression_worth = false, .dependence = dependence});
  EXPECT_TRUE(steps.has_value()) << steps.error().text();
  return std::move(steps->front());
}

TEST(CompressionDependence, WithoutOverlapEachSecondOfCompressingIsOneOfTheStep) {
  const ExplainedStep step = explained(compressed());
  ASSERT_TRUE(step.dependence.has_value());
  const CompressionDependence& dependence = *step.dependence;
  EXPECT_EQ(dependence.cost.level, scenario::CostLevel::floor);
  // and three messages of 320 kB are read
  EXPECT_NEAR(dependence.cost.assumed.count, 48.32e-6 + 3 * 0.32e-6, kNearly);
  EXPECT_NEAR(dependence.step_at(dependence.cost.assumed).count, step.step.duration.count, kNearly);
  for (const double more : {1e-3, 0.02, 0.5, 7.0}) {
    EXPECT_NEAR(dependence.step_at(dependence.cost.assumed + netmodels::Seconds{more}).count,
                step.step.duration.count + more, 1e-6);
  }
}

TEST(CompressionDependence, IsNotThereWhereTheTimeIsStatedTheGradientDenseOrNobodyAsks) {
  scenario::Scenario scenario = compressed();
  EXPECT_FALSE(explained(scenario, false).dependence.has_value());
  scenario.exchange.compression.time = 3_ms;
  EXPECT_FALSE(explained(scenario).dependence.has_value());
  scenario.exchange.compression = {};
  EXPECT_FALSE(explained(scenario).dependence.has_value());
}

TEST(CompressionDependence, OfAnUnknownTimeBeginsAtZero) {
  scenario::Scenario scenario = compressed();
  scenario.work.device.reset();
  const ExplainedStep step = explained(scenario);
  ASSERT_TRUE(step.dependence.has_value());
  EXPECT_EQ(step.dependence->cost.level, scenario::CostLevel::unknown);
  EXPECT_FALSE(step.dependence->cost.most.has_value());
  EXPECT_NEAR(step.dependence->step_at(10_ms).count, step.step.duration.count + 0.01, 1e-6);
}

}  // namespace
}  // namespace sim::engine
