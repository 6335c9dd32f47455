// Changes, traces and background traffic over a training: when they come, whom they reach, what is foreseen.
#include "sim/engine/network_timeline.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using netmodels::Bandwidth;
using netmodels::LinkId;
using netmodels::Seconds;
using scenario::Moment;

/// A star of four workers at 1 ms and 10 Gbit/s, on which things happen.
class Player : public ::testing::Test {
 protected:
  void begin() {
    platform_.reset();
    platform_ = std::move(*Platform::make(cluster_));
    auto made = NetworkTimeline::make(cluster_, *platform_, numbers_);
    ASSERT_TRUE(made.has_value()) << made.error().text();
    player_.emplace(std::move(*made));
    player_->advance({}, 0, 0);
  }
  std::string refusal() {
    platform_ = std::move(*Platform::make(cluster_));
    const auto made = NetworkTimeline::make(cluster_, *platform_, numbers_);
    return made ? "" : made.error().text();
  }
  LinkId id(const std::string& name) const {
    for (LinkId link = 0; link < platform_->links().size(); ++link) {
      if (platform_->links()[link].name == name) return link;
    }
    ADD_FAILURE() << name;
    return 0;
  }
  Bandwidth bandwidth(const std::string& name) { return player_->state({}).links[id(name)].bandwidth; }
  Seconds latency(const std::string& name) { return player_->state({}).links[id(name)].latency; }
  /// Both directions of the links of these workers, and of no others, have this bandwidth.
  void expect_only(const std::vector<int>& workers, Bandwidth expected) {
    for (int worker = 0; worker < cluster_.workers; ++worker) {
      const bool reached = std::ranges::find(workers, worker) != workers.end();
      const std::string name = "worker" + std::to_string(worker);
      EXPECT_EQ(bandwidth(name + "_UP"), reached ? expected : 10_Gbps) << name;
      EXPECT_EQ(bandwidth(name + "_DOWN"), reached ? expected : 10_Gbps) << name;
    }
  }

  scenario::Cluster cluster_ = star(4, 1_ms, 10_Gbps);
  std::unique_ptr<Platform> platform_;
  ClusterStateNumbers numbers_;
  std::optional<NetworkTimeline> player_;
};

scenario::LinkChange change(Moment::Unit unit, double at, Bandwidth bandwidth) {
  return {{unit, at}, bandwidth, {}, {}, {}};
}

TEST_F(Player, NothingEverChangesInAStillCluster) {
  begin();
  EXPECT_EQ(player_->state({1e9}).horizon().count, std::numeric_limits<double>::infinity());
  expect_only({}, {});
}

TEST_F(Player, AChangeAtATimeReachesEveryLinkFromThenOn) {
  cluster_.changes = {change(Moment::Unit::time, 5, 1_Gbps)};
  begin();
  player_->advance({4.999}, 3, 0);
  expect_only({}, {});
  EXPECT_EQ(player_->state({}).horizon(), 5_s);
  player_->advance(5_s, 4, 0);
  expect_only({0, 1, 2, 3}, 1_Gbps);
}

TEST_F(Player, AChangeAtTimeZeroIsThereFromTheStart) {
  cluster_.changes = {change(Moment::Unit::time, 0, 1_Gbps)};
  begin();
  expect_only({0, 1, 2, 3}, 1_Gbps);
}

TEST_F(Player, ALatencyStatedEndToEndIsHalfOfItOnEachOfTwoLinks) {
  cluster_.changes = {{{Moment::Unit::time, 5}, {}, 8_ms, {}, {}}};
  begin();
  player_->advance(5_s, 1, 0);
  EXPECT_EQ(latency("worker1_UP"), 4_ms);
  EXPECT_EQ(bandwidth("worker1_UP"), 10_Gbps);
}

TEST_F(Player, AChangeOfSomeWorkersReachesTheirLinksOnly) {
  cluster_.changes = {{{Moment::Unit::time, 5}, 1_Gbps, {}, {1, 3}, {}}};
  begin();
  player_->advance(5_s, 1, 0);
  expect_only({1, 3}, 1_Gbps);
}

TEST_F(Player, ALinkMayBeNamedInOneDirectionOrInBoth) {
  cluster_.changes = {{{Moment::Unit::time, 5}, 1_Gbps, {}, {}, {"worker1_UP", "worker2"}}};
  begin();
  player_->advance(5_s, 1, 0);
  EXPECT_EQ(bandwidth("worker1_UP"), 1_Gbps);
  EXPECT_EQ(bandwidth("worker1_DOWN"), 10_Gbps);
  EXPECT_EQ(bandwidth("worker2_UP"), 1_Gbps);
  EXPECT_EQ(bandwidth("worker2_DOWN"), 1_Gbps);
}

TEST_F(Player, WithoutNamesOnlyLinksBetweenNodesChange) {
  cluster_.workers_per_node = 2;
  cluster_.inner_link = netmodels::LinkState{1_us, 100_Gbps};
  cluster_.changes = {change(Moment::Unit::time, 5, 1_Gbps)};
  begin();
  player_->advance(5_s, 1, 0);
  EXPECT_EQ(bandwidth("node1_UP"), 1_Gbps);
  EXPECT_EQ(bandwidth("worker3_UP"), 100_Gbps);
}

TEST_F(Player, AChangeAtAStepOrAnEpochWaitsForIt) {
  cluster_.changes = {change(Moment::Unit::step, 3, 5_Gbps), change(Moment::Unit::epoch, 1.5, 1_Gbps)};
  begin();
  player_->advance(100_s, 2, 1.4);
  expect_only({}, {});
  player_->advance(101_s, 3, 1.45);
  expect_only({0, 1, 2, 3}, 5_Gbps);
  player_->advance(102_s, 4, 1.5);
  expect_only({0, 1, 2, 3}, 1_Gbps);
}

TEST_F(Player, AStepsChangeHoldsUntilALaterTimesChangeOverridesIt) {
  cluster_.changes = {change(Moment::Unit::time, 5, 5_Gbps), change(Moment::Unit::step, 3, 1_Gbps),
                      change(Moment::Unit::time, 9, 2_Gbps)};
  begin();
  player_->advance(6_s, 3, 0);
  expect_only({0, 1, 2, 3}, 1_Gbps);
  EXPECT_EQ(player_->state(8_s).horizon(), 9_s);
  player_->advance(9_s, 4, 0);
  expect_only({0, 1, 2, 3}, 2_Gbps);
}

TEST_F(Player, WithinAStepTimePassesButNoStepBegins) {
  cluster_.changes = {change(Moment::Unit::time, 5, 5_Gbps), change(Moment::Unit::step, 1, 1_Gbps)};
  begin();
  player_->advance_within_step(7_s);
  expect_only({0, 1, 2, 3}, 5_Gbps);
  EXPECT_EQ(player_->state(7_s).now, 7_s);
}

TEST_F(Player, ForeseesEverythingUntilAMomentAndTheNextThingAfterIt) {
  for (int second = 1; second <= 9; ++second)
    cluster_.changes.push_back(change(Moment::Unit::time, second, 1_Gbps * second));
  begin();
  const auto& state = player_->state({3.5});
  ASSERT_EQ(state.upcoming.size(), 4U * 8);  // at 1, 2, 3 and 4 s on eight links each
  EXPECT_EQ(state.upcoming.back().at, 4_s);
  EXPECT_EQ(state.upcoming.back().state.bandwidth, 4_Gbps);
}

TEST_F(Player, APeriodicTraceStartsOver) {  // 1 Gbit/s from 0 s, 2 from 4 s, again every 10 s
  cluster_.traces = {{"a.csv", {{0_s, 1_Gbps, {}}, {4_s, 2_Gbps, {}}}, 10_s, {}}};
  begin();
  expect_only({0, 1, 2, 3}, 1_Gbps);
  player_->advance({5}, 1, 0);
  expect_only({0, 1, 2, 3}, 2_Gbps);
  player_->advance({1234.5}, 2, 0);
  expect_only({0, 1, 2, 3}, 2_Gbps);
  EXPECT_EQ(player_->state({1234.5}).horizon(), 1240_s);
  player_->advance({1241}, 3, 0);
  expect_only({0, 1, 2, 3}, 1_Gbps);
}

TEST_F(Player, ATraceWithoutPeriodKeepsItsLastPoint) {
  cluster_.traces = {{"a.csv", {{1_s, 1_Gbps, {}}, {4_s, 2_Gbps, {}}}, std::nullopt, {2}}};
  begin();
  player_->advance({1e6}, 1, 0);
  expect_only({2}, 2_Gbps);
  EXPECT_EQ(player_->state({1e6}).horizon().count, std::numeric_limits<double>::infinity());
}

TEST_F(Player, TracesOfDifferentWorkersAreMerged) {
  cluster_.traces = {{"a.csv", {{1_s, 1_Gbps, {}}, {3_s, 3_Gbps, {}}}, std::nullopt, {0}},
                     {"b.csv", {{2_s, 2_Gbps, {}}}, std::nullopt, {1}}};
  begin();
  const auto& state = player_->state(10_s);
  ASSERT_EQ(state.upcoming.size(), 6U);
  EXPECT_EQ(state.upcoming[2].at, 2_s);
  player_->advance({2.5}, 1, 0);
  EXPECT_EQ(bandwidth("worker0_UP"), 1_Gbps);
  EXPECT_EQ(bandwidth("worker1_UP"), 2_Gbps);
}

TEST_F(Player, FairTrafficRunsFromItsBeginningToItsEndAndAgainEveryPeriod) {
  cluster_.background = {{0, 1, std::nullopt, 2_s, 3_s, 10_s}};
  begin();
  EXPECT_TRUE(player_->state({}).background.empty());
  EXPECT_EQ(player_->state({}).horizon(), 2_s);
  player_->advance(2_s, 1, 0);
  EXPECT_EQ(player_->state(2_s).background, (std::vector<netmodels::BackgroundFlow>{{0, 1}}));
  EXPECT_EQ(player_->state(2_s).horizon(), 3_s);
  player_->advance({11.9}, 2, 0);
  EXPECT_TRUE(player_->state({11.9}).background.empty());
  player_->advance({12.5}, 3, 0);
  EXPECT_EQ(player_->state({12.5}).background.size(), 1U);
  EXPECT_EQ(player_->state({12.5}).horizon(), 13_s);
}

TEST_F(Player, FairTrafficWithoutEndStays) {
  cluster_.background = {{0, 1, std::nullopt, 0_s, std::nullopt, std::nullopt}};
  begin();
  EXPECT_EQ(player_->state({}).background.size(), 1U);
  player_->advance({1e6}, 1, 0);
  EXPECT_EQ(player_->state({1e6}).background.size(), 1U);
  EXPECT_EQ(player_->state({1e6}).horizon().count, std::numeric_limits<double>::infinity());
}

TEST_F(Player, TrafficAtARateLowersTheLinksOnItsWayWhileItLasts) {
  cluster_.background = {{0, 1, 4_Gbps, 2_s, 3_s, std::nullopt}};
  begin();
  player_->advance(2_s, 1, 0);
  EXPECT_EQ(bandwidth("worker0_UP"), 6_Gbps);
  EXPECT_EQ(bandwidth("worker1_DOWN"), 6_Gbps);
  EXPECT_EQ(bandwidth("worker1_UP"), 10_Gbps);
  player_->advance(3_s, 2, 0);
  expect_only({}, {});
}

TEST_F(Player, TrafficAtARateLeavesOnePercentAtTheLeast) {
  cluster_.background = {{0, 1, 40_Gbps, 0_s, std::nullopt, std::nullopt}};
  begin();
  EXPECT_NEAR(bandwidth("worker0_UP").count, 1.25e7, 1e-6);
}

TEST_F(Player, TrafficAtARateIsTakenFromWhateverTheLinkHas) {  // 10 - 2, 5 - 2, then 5 Gbit/s
  cluster_.background = {{0, 1, 2_Gbps, 1_s, 9_s, std::nullopt}};
  cluster_.changes = {change(Moment::Unit::time, 4, 5_Gbps)};
  begin();
  player_->advance(1_s, 1, 0);
  EXPECT_EQ(bandwidth("worker0_UP"), 8_Gbps);
  player_->advance(4_s, 2, 0);
  EXPECT_EQ(bandwidth("worker0_UP"), 3_Gbps);
  player_->advance(9_s, 3, 0);
  EXPECT_EQ(bandwidth("worker0_UP"), 5_Gbps);
}

TEST_F(Player, ATrafficsRateOutlivesAStepsChange) {
  cluster_.background = {{0, 1, 2_Gbps, 1_s, 9_s, std::nullopt}};
  cluster_.changes = {change(Moment::Unit::step, 2, 5_Gbps)};
  begin();
  player_->advance(3_s, 2, 0);
  EXPECT_EQ(bandwidth("worker0_UP"), 3_Gbps);
  player_->advance(9_s, 3, 0);
  EXPECT_EQ(bandwidth("worker0_UP"), 5_Gbps);
}

TEST_F(Player, EqualStatesHaveEqualNumbersAndOthersDoNot) {
  cluster_.changes = {change(Moment::Unit::time, 1, 1_Gbps), change(Moment::Unit::time, 2, 10_Gbps)};
  begin();
  const auto start = player_->state({}).number;
  player_->advance(1_s, 1, 0);
  EXPECT_NE(player_->state(1_s).number, start);
  player_->advance(2_s, 2, 0);
  EXPECT_EQ(player_->state(2_s).number, start);
}

TEST_F(Player, BandwidthsThatDifferByPowersOfTwoGiveDifferentNumbers) {
  begin();
  std::set<std::uint64_t> seen;
  for (const std::vector<double>& gbit :
       {std::vector<double>{10, 1.25, 5}, std::vector<double>{5, 2.5, 0.625},
        std::vector<double>{2.5, 5, 0.625}, std::vector<double>{10, 10, 10}}) {
    cluster_.changes.clear();
    for (int worker = 0; worker < 3; ++worker) {
      cluster_.changes.push_back(
          {{Moment::Unit::time, 1}, gbit[static_cast<std::size_t>(worker)] * 1_Gbps, {}, {worker}, {}});
    }
    begin();
    player_->advance({1}, 0, 0);
    EXPECT_TRUE(seen.insert(player_->state({1}).number).second);
  }
}

TEST_F(Player, AnUnknownLinkIsRefusedWithTheNearest) {
  cluster_.changes = {{{Moment::Unit::time, 5}, 1_Gbps, {}, {}, {"wroker1_UP"}}};
  EXPECT_EQ(refusal(), "cluster.changes[0].links[0]: unknown link `wroker1_UP`; did you mean `worker1_UP`?");
}

TEST_F(Player, ALinkLikeNoOtherIsRefusedWithWhereToLook) {
  cluster_.changes = {{{Moment::Unit::time, 5}, 1_Gbps, {}, {}, {"backbone"}}};
  EXPECT_EQ(refusal(),
            "cluster.changes[0].links[0]: unknown link `backbone`; `sim explain` prints the links");
}

TEST_F(Player, AWorkerWithoutALinkOfItsOwnIsRefused) {
  cluster_.topology = scenario::topology("torus", scenario::Torus{{4}});
  cluster_.changes = {{{Moment::Unit::time, 5}, 1_Gbps, {}, {2}, {}}};
  EXPECT_EQ(refusal(),
            "cluster.changes[0].workers: worker 2 has no own link in this topology; name links instead: "
            "`sim explain` prints them");
}

}  // namespace
}  // namespace sim::engine
