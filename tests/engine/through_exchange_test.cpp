// Models through a server or an object store, on links that differ by direction: figures by hand.
#include "sim/engine/through_exchange.hpp"

#include <gtest/gtest.h>

#include "policies/diloco.hpp"
#include "policies/local_steps.hpp"
#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using netmodels::LinkState;
using netmodels::Seconds;

constexpr double kUnlimited = 1e18;

LinkState link_of(double bandwidth, double latency = 0) { return {{latency}, {bandwidth}}; }

double last_of(const std::vector<LinkState>& ways, double size, double shared, double latency = 0) {
  return last_transfer(ways, {size}, link_of(shared, latency)).count;
}

TEST(LastTransfer, SharesTheCommonLinkMaxMinFairly) {
  EXPECT_DOUBLE_EQ(last_of({link_of(10)}, 100, kUnlimited), 10);
  EXPECT_DOUBLE_EQ(last_of({link_of(10), link_of(10)}, 100, 10), 20);  // 5 each
  EXPECT_DOUBLE_EQ(last_of({link_of(2), link_of(10)}, 20, 10), 10);    // 2, and 8 of the other until 2.5 s
  EXPECT_DOUBLE_EQ(last_of({link_of(10), link_of(4)}, 20, 10), 5);     // 4 all the time
  EXPECT_DOUBLE_EQ(last_of({link_of(8), link_of(10)}, 20, 10), 4);     // the shared link decides: 5 each
  EXPECT_DOUBLE_EQ(last_of({link_of(1), link_of(8), link_of(8)}, 8, 9),
                   8);  // 1, 4 and 4, then the narrow one alone
  EXPECT_DOUBLE_EQ(last_of({link_of(10, 3), link_of(10)}, 100, kUnlimited, 2), 15);
}

/// A step of 121 ms and one more, after which 16 MB models are averaged.
scenario::Scenario averaging(int workers, const scenario::Through& through) {
  scenario::Scenario scenario = plain(workers, {}, kSlow, 2);
  scenario.exchange.collective = "auto";
  scenario.exchange.through = through;
  scenario.exchange.synchronisation =
      policies::synchronisation("periodic", policies::Periodic::Settings{.every = 2});
  return scenario;
}

constexpr auto kServer = scenario::ThroughKind::server;
constexpr auto kStore = scenario::ThroughKind::object_store;

TEST(Through, AServerTakesAModelFromEachAndSendsEachTheMean) {  // 3 x 16 MB at 50 MB/s, twice
  const auto steps = steps_of(averaging(3, {kServer, link_of(50e6)}));
  EXPECT_NEAR(steps[0].duration.count, 0.121, kTiny);
  EXPECT_NEAR(steps[1].duration.count, 0.121 + 0.96 + 0.96, kTiny);
  EXPECT_NEAR(steps[1].parts.exchange.count, 1.92, kTiny);
  EXPECT_EQ(steps[1].sent->count, 16e6);
  EXPECT_EQ(steps[1].collective, "server");
}

TEST(Through, TwoWorkersGoThroughItAndOneAloneDoesNot) {  // 2 x 16 MB at 50 MB/s, twice
  EXPECT_NEAR(steps_of(averaging(2, {kServer, link_of(50e6)}))[1].duration.count, 0.121 + 0.64 + 0.64, kTiny);
  EXPECT_NEAR(steps_of(averaging(1, {kServer, link_of(50e6)}))[1].duration.count, 0.121, kTiny);
}

TEST(Through, AnObjectStoreTakesAModelOnceAndGivesThoseOfTheOthers) {  // 160 ms up, 2 x 160 ms down
  const auto steps = steps_of(averaging(3, {kStore, link_of(kUnlimited)}));
  EXPECT_NEAR(steps[1].duration.count, 0.121 + 0.16 + 0.32, kTiny);
  EXPECT_EQ(steps[1].sent->count, 16e6);
}

TEST(Through, AnUploadHasItsOwnBandwidth) {
  scenario::Scenario scenario = averaging(3, {kStore, link_of(kUnlimited)});
  scenario.cluster.upload = netmodels::Bandwidth{50e6};
  EXPECT_NEAR(steps_of(scenario)[1].duration.count, 0.121 + 0.32 + 0.32, kTiny);
  scenario.cluster.worker_links = {{{1}, {{}, {100e6}}, netmodels::Bandwidth{10e6}}};
  EXPECT_NEAR(steps_of(scenario)[1].duration.count, 0.121 + 1.6 + 0.32, kTiny);
}

TEST(Upload, DecidesARingOfWorkersWithSlowUploads) {  // 4 messages of 16/3 MB at 50 MB/s
  scenario::Scenario scenario = plain(3, {}, kSlow, 1);
  scenario.cluster.upload = netmodels::Bandwidth{50e6};
  EXPECT_NEAR(steps_of(scenario)[0].duration.count, 0.121 + 4 * 0.32 / 3, 1e-9);
  scenario.simulation.evaluator = scenario::Evaluator::simgrid;
  EXPECT_NEAR(steps_of(scenario)[0].duration.count, 0.121 + 4 * 0.32 / 3, 1e-6);
}

TEST(Through, OnlyDrawnWorkersSend) {  // 2 of 4: 2 x 16 MB at 50 MB/s each way
  scenario::Scenario scenario = averaging(4, {kServer, link_of(50e6)});
  scenario.exchange.synchronisation =
      policies::synchronisation("fedavg", policies::FedAvg::Settings{0.5, 39e-6});
  const auto steps = steps_of(scenario);  // a step is 40 of a million samples
  EXPECT_NEAR(steps[0].duration.count, 0.121 + 0.64 + 0.64, kTiny);
  EXPECT_EQ(steps[0].sent->count, 16e6);  // each of two
}

TEST(Through, ASingleDrawnWorkerSendsAndFetchesToo) {  // 1 of 4: 16 MB at 50 MB/s each way
  scenario::Scenario scenario = averaging(4, {kServer, link_of(50e6)});
  scenario.exchange.synchronisation =
      policies::synchronisation("fedavg", policies::FedAvg::Settings{0.25, 39e-6});
  const auto steps = steps_of(scenario);
  EXPECT_NEAR(steps[0].duration.count, 0.121 + 0.32 + 0.32, kTiny);
  EXPECT_EQ(steps[0].sent->count, 16e6);
  EXPECT_EQ(steps[0].collective, "server");
}

TEST(Through, MessagesOfTopKAreFetchedOneByOneAndTheirSumIsNoLargerThanTheModel) {
  scenario::Scenario scenario = averaging(3, {kServer, link_of(kUnlimited)});
  scenario.exchange.compression =
      sent_as("topk", 0.25, Seconds{});  // a million pairs of 8 bytes, three make 24 MB
  EXPECT_NEAR(steps_of(scenario)[1].duration.count, 0.121 + 0.08 + 0.16, kTiny);
  scenario.exchange.through->kind = kStore;
  EXPECT_NEAR(steps_of(scenario)[1].duration.count, 0.121 + 0.08 + 0.16, kTiny);
}

// A million values of four: 4 MB, or 250,000 pairs of 8 bytes and twice those of the others; 10 ns for each
// value.
TEST(Through, AFragmentIsCompressedAndSentAlone) {
  scenario::Scenario scenario = averaging(3, {kServer, link_of(kUnlimited)});
  scenario.exchange.synchronisation =
      policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = 4, .fragments = 4});
  EXPECT_NEAR(steps_of(scenario)[0].duration.count, 0.121 + 0.04 + 0.04, kTiny);
  EXPECT_EQ(steps_of(scenario)[0].sent->count, 4e6);
  scenario.exchange.compression = sent_as("topk", 0.25);
  scenario.exchange.compression.kernels.rows = {{.method = "topk", .cost = {{}, 10_ns, {}}}};
  const StepRecord step = steps_of(scenario)[0];
  EXPECT_NEAR(step.parts.compress.count, 0.010, kTiny);
  EXPECT_NEAR(step.duration.count, 0.121 + 0.010 + 0.02 + 0.04, kTiny);
  EXPECT_EQ(step.sent->count, 2e6);
}

}  // namespace
}  // namespace sim::engine
