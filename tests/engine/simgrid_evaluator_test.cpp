// SimGrid as the reference: contention, changes in flight, background traffic, and the path evaluator against
// it.
#include "sim/engine/simgrid_evaluator.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "netmodels/collective.hpp"
#include "netmodels/path.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using netmodels::LinkChange;
using netmodels::LinkId;
using netmodels::Round;
using netmodels::Schedule;

Schedule one_round(std::uint32_t ranks, Round round) { return {ranks, {{{std::move(round)}, 1}}}; }

/// From `at` on, every link has this bandwidth and latency.
std::vector<LinkChange> all_links(const Platform& platform, netmodels::Seconds at,
                                  netmodels::Bandwidth bandwidth, netmodels::Seconds latency) {
  std::vector<LinkChange> changes;
  for (LinkId id = 0; id < platform.links().size(); ++id)
    changes.push_back({at, id, {latency / 2, bandwidth}});
  return changes;
}

class OnStar : public ::testing::Test {
 protected:
  void build(int workers, netmodels::Seconds latency = 1_ms, netmodels::Bandwidth bandwidth = {100e6}) {
    platform_ = std::move(*Platform::make(star(workers, latency, bandwidth)));
    simgrid_ = std::make_unique<SimGridEvaluator>(*platform_);
    state_ = nominal(*platform_);
  }
  double seconds(const Schedule& schedule) {
    return simgrid_->evaluate(schedule, everyone(platform_->workers()), state_)->duration.count;
  }
  double path_seconds(const Schedule& schedule) {
    const auto evaluated = netmodels::RoutedSchedule(schedule, routes_of(*platform_)).evaluate(state_);
    EXPECT_TRUE(evaluated.has_value()) << evaluated.error().text();
    return evaluated->duration.count;
  }

  std::unique_ptr<Platform> platform_;
  std::unique_ptr<SimGridEvaluator> simgrid_;
  netmodels::NetworkState state_;
};

TEST_F(OnStar, TwoSendersShareTheReceiversLink) {  // 1 ms, then 2 x 10 MB through 100 MB/s
  build(3);
  EXPECT_NEAR(seconds(one_round(3, {{0, 2, 10_MB}, {1, 2, 10_MB}})), 0.201, 1e-12);
}

TEST_F(OnStar,
       TheShorterOfTwoSharedFlowsLeavesItsShareBehind) {  // 10 MB until 0.2 s, the other 10 MB without
                                                          // sharing until 0.3 s
  build(3);
  EXPECT_NEAR(seconds(one_round(3, {{0, 2, 10_MB}, {1, 2, 20_MB}})), 0.301, 1e-12);
}

TEST_F(OnStar, ARiseOfBandwidthInFlightIsFelt) {  // 1 ms, 50 ms at 100 MB/s, then 5 MB at 200 MB/s
  build(2);
  const auto changes = all_links(*platform_, {0.051}, {200e6}, 1_ms);
  state_.upcoming = changes;
  EXPECT_NEAR(seconds(one_round(2, {{0, 1, 10_MB}})), 0.076, 1e-12);
  EXPECT_NEAR(path_seconds(one_round(2, {{0, 1, 10_MB}})), 0.076, 1e-12);
}

TEST_F(OnStar, AFallOfBandwidthInFlightIsFelt) {  // 1 ms, 50 ms at 100 MB/s, then 5 MB at 50 MB/s
  build(2);
  const auto changes = all_links(*platform_, {0.051}, {50e6}, 1_ms);
  state_.upcoming = changes;
  EXPECT_NEAR(seconds(one_round(2, {{0, 1, 10_MB}})), 0.151, 1e-12);
  EXPECT_NEAR(path_seconds(one_round(2, {{0, 1, 10_MB}})), 0.151, 1e-12);
}

TEST_F(OnStar, AChangeDuringTheLatencyStallsNothing) {  // SimGrid's own profiles would hang here
  build(2);
  const auto changes = all_links(*platform_, {0.0005}, {50e6}, 9_ms);
  state_.upcoming = changes;
  EXPECT_NEAR(seconds(one_round(2, {{0, 1, 10_MB}})), 0.201, 1e-12);  // latency as it was at the start
  EXPECT_NEAR(path_seconds(one_round(2, {{0, 1, 10_MB}})), 0.201, 1e-12);
}

TEST_F(OnStar, AnEndlessBackgroundFlowTakesHalf) {
  build(3);
  state_.background = {{0, 2}};
  EXPECT_NEAR(seconds(one_round(3, {{1, 2, 10_MB}})), 0.201, 1e-12);
}

TEST_F(OnStar, BackgroundTrafficMayBeginInFlight) {  // 1 ms, 50 ms without sharing, then 5 MB at half
  build(3);
  const std::vector<netmodels::BackgroundChange> begins{{{0.051}, {{0, 2}}}};
  state_.upcoming_background = begins;
  EXPECT_NEAR(seconds(one_round(3, {{1, 2, 10_MB}})), 0.151, 1e-12);
}

TEST_F(OnStar, ThePathEvaluatorRefusesWhatOnlySimGridCanPrice) {
  build(3);
  const auto refused =
      netmodels::RoutedSchedule(one_round(3, {{0, 2, 10_MB}, {1, 2, 10_MB}}), routes_of(*platform_))
          .evaluate(state_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().text(),
            "messages share a link on the path from rank 1 to rank 2; the path evaluator supports one flow "
            "per link at a time; use `simgrid` or `auto`");
}

TEST_F(OnStar, LinksThatDifferGiveTheSameTimeByPathAndBySimGrid) {
  build(12, 70_us, 10_Gbps);
  for (LinkId id = 0; id < state_.links.size(); ++id) state_.links[id].bandwidth *= 0.6 + 0.07 * (id % 11);
  for (const char* name :
       {"ring_allreduce", "halving_doubling_allreduce", "double_binary_tree_allreduce", "tree_allreduce"}) {
    const Schedule schedule = (*netmodels::find_collective(name))->schedule({12, 10_MB});
    const double reference = seconds(schedule);
    EXPECT_NEAR(path_seconds(schedule), reference, 1e-9 * reference) << name;
  }
}

TEST_F(OnStar, ManyChangesInsideACollectiveGiveTheSameTimeByPathAndBySimGrid) {
  build(8, 1_ms, 1_Gbps);
  std::vector<LinkChange> changes;
  for (int k = 1; k < 200; ++k) {
    const auto some =
        all_links(*platform_, {0.0037 * k}, {1.25e8 * (1 + 0.4 * ((k * 7) % 5 - 2))}, 1_ms * (1 + k % 3));
    changes.insert(changes.end(), some.begin(), some.end());
  }
  state_.upcoming = changes;
  for (const char* name : {"ring_allreduce", "halving_doubling_allreduce", "pipelined_broadcast",
                           "pipelined_binary_tree_allreduce", "double_binary_tree_allreduce"}) {
    const Schedule schedule = (*netmodels::find_collective(name))->schedule({8, 10_MB});
    const double reference = seconds(schedule);
    EXPECT_NEAR(path_seconds(schedule), reference, 1e-9 * reference) << name;
  }
}

TEST_F(OnStar, AMessageTooLargeForTheFinestGrainStillCountsInFull) {  // 100 TB at 100 MB/s
  build(2);
  EXPECT_NEAR(seconds(one_round(2, {{0, 1, {1e14}}})), 1000000.001, 1e-3);
}

TEST_F(OnStar, TheSameScheduleTwiceTakesTheSameTime) {
  build(16, 70_us, 10_Gbps);
  const Schedule ring = (*netmodels::find_collective("ring_allreduce"))->schedule({16, 10_MB});
  const double first = seconds(ring);
  EXPECT_NEAR(seconds(ring), first, 1e-12);
}

TEST(SimGridEvaluator, AStopEndsAnEvaluationAndLeavesNothingForTheNext) {  // 14 (1 ms + 1 MB / 100 MB/s)
  const auto platform = std::move(*Platform::make(star(8, 1_ms, {100e6})));
  std::atomic<bool> stop{true};
  SimGridEvaluator simgrid(*platform, &stop);
  netmodels::NetworkState state = nominal(*platform);
  state.background = {{0, 7}};
  const Schedule ring = (*netmodels::find_collective("ring_allreduce"))->schedule({8, 8_MB});
  const auto stopped = simgrid.evaluate(ring, everyone(8), state);
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().text(), "interrupted");
  stop = false;
  EXPECT_NEAR(simgrid.evaluate(ring, everyone(8), nominal(*platform))->duration.count, 14 * 0.011, 1e-12);
}

/// The most timers that SimGrid has held at once since this was last set to 0.
std::size_t& most_timers() {
  static std::size_t most = 0;
  static const bool registered = [] {
    simgrid::s4u::Engine::on_time_advance_cb(
        [](double) { most = std::max(most, simgrid::kernel::timer::kernel_timers().size()); });
    return true;
  }();
  (void)registered;
  return most;
}

// 64 messages wait, each for a time of its own. A timer that is left when an earlier start appears sets
// another when it is due: then several wait.
TEST(SimGridEvaluator, OneTimerWaitsForAllStarts) {
  scenario::Cluster cluster = star(64, 10_us, 25_Gbps);
  cluster.topology = scenario::topology("dragonfly", scenario::Dragonfly{4, 2, 4, 2});
  const auto platform = Platform::make(cluster);
  ASSERT_TRUE(platform.has_value()) << platform.error().text();
  SimGridEvaluator simgrid(**platform);
  const Schedule ring = (*netmodels::find_collective("ring_allreduce"))->schedule({64, 100_MB});
  most_timers() = 0;
  ASSERT_TRUE(simgrid.evaluate(ring, everyone(64), nominal(**platform)).has_value());
  EXPECT_EQ(most_timers(), 1U);
}

// Worker 0 sends 400 MB to 3 after 5 s of latency, then one byte to the distant 6. Workers 1 and 2 send 1 GB
// to 3, too, once they have received 1 GB: at 100 MB/s after 10 s, when 0 has ended after 9 s; at 200 MB/s
// after 5 s, so that 0 shares the link with both and ends after 11 s. What comes after it waits (an anomaly
// of Graham's).
TEST(SimGridEvaluator, TwiceTheBandwidthMayTakeLonger) {
  const auto seconds = [](netmodels::Bandwidth bandwidth) {
    scenario::Cluster cluster = star(7, {}, bandwidth);
    cluster.worker_links = {{{0}, {{10}, bandwidth}}, {{6}, {{200}, bandwidth}}};
    const auto platform = std::move(*Platform::make(cluster));
    const Schedule schedule{7,
                            {{{{{4, 1, 1000_MB}, {5, 2, 1000_MB}},
                               {{0, 3, 400_MB}, {1, 3, 1000_MB}, {2, 3, 1000_MB}},
                               {{0, 6, 1_B}}},
                              1}}};
    return SimGridEvaluator(*platform).evaluate(schedule, everyone(7), nominal(*platform))->duration.count;
  };
  EXPECT_NEAR(seconds({100e6}), 9 + 105, 1e-6);
  EXPECT_NEAR(seconds({200e6}), 11 + 105, 1e-6);
}

TEST(TcpPresets, ALongRoundTripBoundsAFlowByItsWindow) {  // 4 MiB per 100 ms, less 5 % for the way back
  scenario::Cluster cluster = star(2, {0.05}, 10_Gbps);
  cluster.preset = scenario::NetworkPreset::tcp_wan;
  const auto platform = Platform::make(cluster);
  ASSERT_TRUE(platform.has_value());
  SimGridEvaluator simgrid(**platform);
  const double seconds =
      simgrid.evaluate(one_round(2, {{0, 1, 100_MB}}), everyone(2), nominal(**platform))->duration.count;
  EXPECT_NEAR(seconds, 0.05 + 100e6 / (4194304 / 0.1), 1e-6);
}

TEST(TcpPresets, ReverseTrafficSlowsAFullDuplexExchangeByFivePercent) {
  scenario::Cluster cluster = star(2, {}, {100e6});
  cluster.preset = scenario::NetworkPreset::tcp_wan;
  const auto platform = Platform::make(cluster);
  ASSERT_TRUE(platform.has_value());
  SimGridEvaluator simgrid(**platform);
  const Schedule swap = one_round(2, {{0, 1, 10_MB}, {1, 0, 10_MB}});
  EXPECT_NEAR(simgrid.evaluate(swap, everyone(2), nominal(**platform))->duration.count, 0.1 * 1.05, 1e-6);
}

TEST(TcpPresets, Lv08StretchesLatencyAndNarrowsBandwidth) {
  scenario::Cluster cluster = star(2, 1_ms, {100e6});
  cluster.preset = scenario::NetworkPreset::tcp_lv08;
  const auto platform = Platform::make(cluster);
  ASSERT_TRUE(platform.has_value());
  EXPECT_NEAR((*platform)->links()[0].nominal.bandwidth.count, 97e6, 1e-3);
  EXPECT_NEAR((*platform)->links()[0].nominal.latency.count, 0.5e-3 * 13.01, 1e-12);
}

}  // namespace
}  // namespace sim::engine
