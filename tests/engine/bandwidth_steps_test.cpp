// One step of several arms at any bandwidth.
#include "sim/engine/bandwidth_steps.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "sim/scenario/study.hpp"
#include "tests/arm_parts.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

constexpr double samples = 40;  // four workers of ten

double step_at(const scenario::Scenario& scenario, netmodels::Bandwidth bandwidth) {
  ClusterCache clusters;
  StepsByBandwidth steps({&scenario}, clusters);
  const auto ranges = steps.at(bandwidth);
  EXPECT_TRUE(ranges.has_value());
  return ranges ? ranges->front().assumed.count * samples : NAN;
}

TEST(StepsByBandwidth, AreThoseOfThatLink) {  // 121 ms of computing, then 6 (1 ms + 4 MB / B)
  const scenario::Scenario scenario = plain(4, 1_ms, kSlow, 3);
  EXPECT_NEAR(step_at(scenario, kSlow), 0.121 + 0.246, 1e-9);
  EXPECT_NEAR(step_at(scenario, kSlow * 10), 0.121 + 0.030, 1e-9);
  EXPECT_NEAR(step_at(scenario, kSlow * 0.1), 0.121 + 2.406, 1e-9);
}

TEST(StepsByBandwidth, LeaveChangesOfTheNetworkOut) {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 3);
  scenario.cluster.changes = {{.at = {settings::Moment::Unit::time, 0},
                               .bandwidth = kSlow * 5,
                               .latency = {},
                               .workers = {},
                               .links = {}}};
  EXPECT_NEAR(step_at(scenario, kSlow), 0.121 + 0.246, 1e-9);
}

TEST(StepsByBandwidth,
     LinksOfSingleWorkersChangeInProportion) {  // 6 chunks through the slow one, 2 latencies
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 3);
  scenario.cluster.worker_links = {{{2}, {1_ms, kSlow * 0.5}}};
  EXPECT_NEAR(step_at(scenario, kSlow * 10), 0.121 + 6 * 4e6 / 5e8 + 2e-3, 1e-9);
}

// Its link is the quarter of a node's that one of four GPUs has.
TEST(StepsByBandwidth, AGpuOfATensorGroupHasItsShareOfTheLink) {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 3);
  scenario::Cluster whole = scenario.cluster;
  whole.link.bandwidth = kSlow * 4;
  scenario.stated = std::make_shared<const scenario::Stated>(scenario::Stated{.cluster = whole});
  scenario.work.parallelism.tensor = 4;
  ClusterCache clusters;
  StepsByBandwidth steps({&scenario}, clusters);
  EXPECT_EQ(steps.stated(), kSlow * 4);
  EXPECT_NEAR(steps.at(kSlow * 4)->front().assumed.count * samples, 0.121 + 0.246, 1e-9);
  EXPECT_NEAR(steps.at(kSlow * 40)->front().assumed.count * samples, 0.121 + 0.030, 1e-9);
}

/// ResNet-50 on two nodes of eight H100, as NCCL's hardware describes them.
scenario::Scenario on_described_hardware() {
  const tests::ScratchFolder scratch;
  const auto file = scratch.write("s.yaml",
                                  "# Described\nworkload: resnet50_v100\ncluster: nvidia_dgx_h100\n"
                                  "training: {batch: 32, steps: 2}\n");
  return scenario::read_study(file, {}, tests::source_dir() + "/scenarios", {}).value().study.arms.front();
}

// Eight interfaces of 50 GB/s: nothing above 400 GB/s, and the step grows as each carries less.
TEST(StepsByBandwidth, OnDescribedHardwareTheInterfacesCarryTheBandwidth) {
  const scenario::Scenario scenario = on_described_hardware();
  ASSERT_TRUE(depends_on_bandwidth(scenario));
  ClusterCache clusters;
  StepsByBandwidth steps({&scenario}, clusters);
  EXPECT_NEAR(steps.most().count, 400e9, 1);
  const auto time = [&](double bandwidth) { return steps.at({bandwidth})->front().assumed; };
  EXPECT_GT(time(4e9), time(40e9));
  EXPECT_GT(time(40e9), time(400e9));
  EXPECT_EQ(time(800e9), time(400e9));
}

TEST(StepsByBandwidth, ACertainTimeOfCompressingLeavesOneTime) {
  const scenario::Scenario scenario = plain(4, 1_ms, kSlow, 3);
  ClusterCache clusters;
  StepsByBandwidth steps({&scenario}, clusters);
  const auto ranges = steps.at(kSlow);
  ASSERT_TRUE(ranges.has_value());
  EXPECT_EQ(ranges->front().least, ranges->front().assumed);
  EXPECT_EQ(ranges->front().most, ranges->front().assumed);
  EXPECT_EQ(steps.stated(), kSlow);
}

// 48.32 us on a device of 1 TB/s and three messages of 320 kB to read, which is the least; no most is known.
TEST(StepsByBandwidth, AFloorOfCompressingIsTheShortestAndLeavesTheLongestOpen) {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 3);
  scenario.exchange.compression = sent_as("topk", 0.01);
  scenario.exchange.collective = "ring_allgather";
  scenario.work.device = simple_device();
  ClusterCache clusters;
  StepsByBandwidth steps({&scenario}, clusters);
  const auto ranges = steps.at(kSlow);
  ASSERT_TRUE(ranges.has_value()) << ranges.error().text();
  const double step = 0.121 + 48.32e-6 + 3 * 0.32e-6 + 3 * (1e-3 + 3.2e-3);
  EXPECT_NEAR(ranges->front().least.count * samples, step, 1e-9);
  EXPECT_NEAR(ranges->front().assumed.count * samples, step, 1e-9);
  EXPECT_TRUE(std::isinf(ranges->front().most.count));
}

TEST(DependsOnBandwidth, WhereLinksBetweenNodesFollowFromTheStatedOne) {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 3);
  EXPECT_TRUE(depends_on_bandwidth(scenario));
  scenario.cluster.workers_per_node = 4;  // one node
  EXPECT_FALSE(depends_on_bandwidth(scenario));
  scenario = plain(4, 1_ms, kSlow, 3);
  scenario.cluster.measured = {measured_all_reduce(4, 4)};
  EXPECT_FALSE(depends_on_bandwidth(scenario));
  scenario = plain(4, 1_ms, kSlow, 3);
  scenario.cluster.topology = scenario::topology("wan", scenario::Wan{});
  EXPECT_FALSE(depends_on_bandwidth(scenario));
}

}  // namespace
}  // namespace sim::engine
