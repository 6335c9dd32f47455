// Messages that begin at any time: by hand, and against SimGrid where they begin together.
#include "sim/engine/flows.hpp"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "sim/engine/simgrid_evaluator.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using netmodels::Seconds;

constexpr Seconds kEver{std::numeric_limits<double>::infinity()};

/// A cluster with messages on it.
class Underway {
 public:
  explicit Underway(const scenario::Cluster& cluster)
      : platform_(std::move(*Platform::make(cluster))),
        network_(std::move(*NetworkTimeline::make(cluster, *platform_, numbers_))),
        flows_(*platform_) {}

  void start(std::uint64_t key, std::uint32_t from, std::uint32_t to, netmodels::Bytes size) {
    flows_.start(key, from, to, size, flows_.now(), network_);
  }
  std::optional<std::uint64_t> advance(Seconds until) { return flows_.advance(until, network_); }
  /// The next arrival, which must be of this message. @returns when
  double arrival(std::uint64_t key) {
    EXPECT_EQ(advance(kEver), key);
    return flows_.now().count;
  }
  [[nodiscard]] const Flows& flows() const { return flows_; }
  [[nodiscard]] const Platform& platform() const { return *platform_; }

 private:
  std::unique_ptr<Platform> platform_;
  ClusterStateNumbers numbers_;
  NetworkTimeline network_;
  Flows flows_;
};

Underway on_star(int workers, Seconds latency = 1_ms) { return Underway(star(workers, latency, {100e6})); }

TEST(Flows, AMessagePaysItsLatencyAndThenItsBandwidth) {
  Underway underway = on_star(2);
  underway.start(7, 0, 1, 10_MB);
  EXPECT_NEAR(underway.arrival(7), 0.101, kTiny);
  EXPECT_TRUE(underway.flows().empty());
}

TEST(Flows, NothingFlowsBeforeTheLatencyHasPassed) {
  Underway underway = on_star(2, 1000_s);
  underway.start(7, 0, 1, 10_MB);
  EXPECT_NEAR(underway.arrival(7), 1000.1, 1e-9);
}

TEST(Flows, AnEmptyMessageArrivesAfterItsLatency) {
  Underway underway = on_star(2);
  underway.start(7, 0, 1, {});
  EXPECT_NEAR(underway.arrival(7), 0.001, kTiny);
}

TEST(Flows, TimePassesUpToWhereItIsAskedToAndNoFurther) {
  Underway underway = on_star(2);
  EXPECT_EQ(underway.advance(50_ms), std::nullopt);
  EXPECT_EQ(underway.flows().now(), 50_ms);
  underway.start(7, 0, 1, 10_MB);
  EXPECT_EQ(underway.advance(100_ms), std::nullopt);
  EXPECT_EQ(underway.flows().now(), 100_ms);
  EXPECT_NEAR(underway.arrival(7), 0.151, kTiny);
}

// The first has the link for 50 ms (5 MB), then half until its other 5 MB are there, 100 ms later; the second
// has 5 MB by then and the other 5 MB without sharing in 50 ms.
TEST(Flows, AMessageThatBeginsLaterSharesFromThereOn) {
  Underway underway = on_star(3, {});
  underway.start(1, 0, 2, 10_MB);
  EXPECT_EQ(underway.advance(50_ms), std::nullopt);
  underway.start(2, 1, 2, 10_MB);
  EXPECT_NEAR(underway.arrival(1), 0.15, kTiny);
  EXPECT_NEAR(underway.arrival(2), 0.20, kTiny);
}

TEST(Flows, AMessageThatStillPaysItsLatencySharesNothing) {  // the first sends 10 ms (1 MB), then half
  Underway underway = on_star(3, 10_ms);
  underway.start(1, 0, 2, 2_MB);
  EXPECT_EQ(underway.advance(10_ms), std::nullopt);
  underway.start(2, 1, 2, 2_MB);
  EXPECT_NEAR(underway.arrival(1), 0.040, kTiny);
  EXPECT_NEAR(underway.arrival(2), 0.050, kTiny);
}

TEST(Flows, OppositeDirectionsDoNotMeet) {
  Underway underway = on_star(2, {});
  underway.start(1, 0, 1, 10_MB);
  underway.start(2, 1, 0, 10_MB);
  EXPECT_NEAR(underway.arrival(1), 0.1, kTiny);
  EXPECT_NEAR(underway.arrival(2), 0.1, kTiny);
}

TEST(Flows, ArriveInTheOrderOfStartingWhereTheyArriveTogether) {
  Underway underway = on_star(4, {});
  for (const std::uint64_t key : {9U, 4U, 6U})
    underway.start(key, static_cast<std::uint32_t>(key % 4), 3, {});
  for (const std::uint64_t key : {9U, 4U, 6U}) EXPECT_EQ(underway.advance(kEver), key);
}

TEST(Flows, AChangeOfBandwidthInFlightIsFelt) {  // 1 ms, 50 ms at 100 MB/s, then 5 MB at 50 MB/s
  scenario::Cluster cluster = star(2, 1_ms, {100e6});
  cluster.changes = {at_time({0.051}, netmodels::Bandwidth{50e6})};
  Underway underway(cluster);
  underway.start(7, 0, 1, 10_MB);
  EXPECT_NEAR(underway.arrival(7), 0.151, kTiny);
}

TEST(Flows, ATraceThatRepeatsForEverIsFelt) {  // 100 MB/s and 50 MB/s, 20 ms each: 3 MB in 40 ms
  scenario::Cluster cluster = star(2, {}, {100e6});
  scenario::LinkTrace trace;
  trace.points = {{{}, netmodels::Bandwidth{100e6}, {}}, {20_ms, netmodels::Bandwidth{50e6}, {}}};
  trace.period = 40_ms;
  cluster.traces = {trace};
  Underway underway(cluster);
  underway.start(7, 0, 1, 10_MB);
  EXPECT_NEAR(underway.arrival(7), 0.12 + 0.01, kTiny);
}

TEST(Flows, LatencyIsThatOfTheMomentInWhichAMessageStarts) {  // though nothing was under way when it changed
  scenario::Cluster cluster = star(2, 1_ms, {100e6});
  cluster.changes = {at_time(50_ms, {}, 9_ms)};
  Underway underway(cluster);
  EXPECT_EQ(underway.advance(100_ms), std::nullopt);
  underway.start(7, 0, 1, 10_MB);
  EXPECT_NEAR(underway.arrival(7), 0.209, kTiny);
}

/// Some of all possible messages, of 1 to 20 MB.
netmodels::Round some_messages(std::uint32_t workers, std::uint32_t seed) {
  std::mt19937 random(seed);
  netmodels::Round messages;
  for (std::uint32_t from = 0; from < workers; ++from) {
    for (std::uint32_t to = 0; to < workers; ++to) {
      if (from != to && random() % 3 == 0)
        messages.push_back({from, to, netmodels::Bytes{1e6 * static_cast<double>(1 + random() % 20)}});
    }
  }
  return messages;
}

void expect_as_simgrid(const scenario::Cluster& cluster) {
  const auto workers = static_cast<std::uint32_t>(cluster.workers);
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    Underway underway(cluster);
    const netmodels::Round messages = some_messages(workers, seed);
    for (std::size_t i = 0; i < messages.size(); ++i)
      underway.start(i, messages[i].from, messages[i].to, messages[i].size);
    while (!underway.flows().empty()) (void)underway.advance(kEver);
    SimGridEvaluator simgrid(underway.platform());
    const double reference =
        simgrid.evaluate({workers, {{{messages}, 1}}}, everyone(workers), nominal(underway.platform()))
            ->duration.count;
    EXPECT_NEAR(underway.flows().now().count, reference, 1e-9 * reference) << seed;
  }
}

TEST(Flows, TakeAsLongAsInSimGridOnAStar) { expect_as_simgrid(star(6, 1_ms, {100e6})); }

TEST(Flows, TakeAsLongAsInSimGridOnAStarOfUnequalLinks) {
  scenario::Cluster cluster = star(6, 1_ms, {100e6});
  cluster.worker_links = {{{1, 4}, {5_ms, {30e6}}}, {{2}, {{}, {250e6}}}};
  expect_as_simgrid(cluster);
}

TEST(Flows, TakeAsLongAsInSimGridBetweenOversubscribedRacks) {
  scenario::Cluster cluster = star(6, 1_ms, {100e6});
  cluster.topology = scenario::topology("racks", scenario::Racks{3, 4});
  expect_as_simgrid(cluster);
}

}  // namespace
}  // namespace sim::engine
