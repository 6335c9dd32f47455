// A step at the lowest, the usual and the highest goodput of a fabric.
#include "sim/engine/goodput_steps.hpp"

#include <gtest/gtest.h>

#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

/// Four workers on a ring whose link is the middle of a range; a step without exchange takes 121 ms.
scenario::Scenario with_range() {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 3);
  scenario.cluster.link_range = scenario::FabricRange{.kind = inputs::FabricKind::ethernet,
                                                      .name = "nccl_tcp over 1 Gbit/s Ethernet",
                                                      .low = {2_ms, kSlow * 0.5},
                                                      .mid = {1_ms, kSlow},
                                                      .high = {1_ms, kSlow * 2},
                                                      .source = "by hand"};
  return scenario;
}

netmodels::Result<std::optional<GoodputSteps>> tried_steps(const scenario::Scenario& scenario) {
  ClusterCache clusters;
  return goodput_steps(scenario, clusters);
}

TEST(GoodputStepsOfAFabric, AreThoseOfTheLinksInItsRange) {  // 6 (L + 4 MB / B): 492, 246, 126 ms
  const auto steps = tried_steps(with_range());
  ASSERT_TRUE(steps.has_value() && steps->has_value());
  ClusterCache clusters;
  const auto explained = explain(with_range(), clusters);
  ASSERT_TRUE(explained.has_value());
  const auto samples = static_cast<double>(explained->front().step.samples);
  EXPECT_NEAR((*steps)->low.count * samples, 0.121 + 0.492, 1e-9);
  EXPECT_NEAR((*steps)->mid.count * samples, 0.121 + 0.246, 1e-9);
  EXPECT_NEAR((*steps)->high.count * samples, 0.121 + 0.126, 1e-9);
}

TEST(GoodputStepsOfAFabric, AreNotMadeWithoutARange) {
  const auto steps = tried_steps(plain(4, 1_ms, kSlow, 3));
  ASSERT_TRUE(steps.has_value());
  EXPECT_FALSE(steps->has_value());
}

TEST(GoodputStepsOfAFabric, AreNotMadeWhereTheNetworkChanges) {
  scenario::Scenario scenario = with_range();
  scenario.cluster.changes = {{.at = {settings::Moment::Unit::step, 1},
                               .bandwidth = kSlow,
                               .latency = {},
                               .workers = {},
                               .links = {}}};
  const auto steps = tried_steps(scenario);
  ASSERT_TRUE(steps.has_value());
  EXPECT_FALSE(steps->has_value());
}

}  // namespace
}  // namespace sim::engine
