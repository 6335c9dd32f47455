// Workers on their own clocks: pushes by hand, bounds on staleness, and who waits for whom.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "sim/engine/simulate_asynchronous.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

/// A step computes for 121 ms; a push and a pull are 16 MB each. The server is on worker 0's host.
scenario::Scenario asp(int workers, netmodels::Seconds latency = {}) {
  scenario::Scenario scenario = plain(workers, latency, kSlow, 100);
  scenario.exchange.synchronisation =
      policies::synchronisation("asp", policies::Asynchronous{.server = policies::ServerHost::first_worker});
  return scenario;
}

scenario::Scenario ssp(int workers, std::int64_t staleness) {
  scenario::Scenario scenario = asp(workers);
  scenario.exchange.synchronisation = policies::synchronisation(
      "ssp",
      policies::StaleSynchronous{.staleness = staleness, .server = policies::ServerHost::first_worker});
  return scenario;
}

std::vector<Push> pushes(const scenario::Scenario& scenario, int count) {
  ClusterCache clusters;
  const auto training = Asynchronous::make(scenario, clusters).value();
  std::vector<Push> found;
  for (int push = 0; push < count; ++push) found.push_back(*training->next({}));
  return found;
}

/// When the gradients of one worker reached the server.
std::vector<double> times_of(std::uint32_t worker, const std::vector<Push>& pushes) {
  std::vector<double> times;
  for (const Push& push : pushes) {
    if (push.worker == worker) times.push_back(push.at.count);
  }
  return times;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_GE(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], kTiny) << i;
}

TEST(Asynchronous, OneWorkerCostsItsComputeTimeOnly) {
  scenario::Scenario scenario = asp(1, 1_ms);
  scenario.exchange.compression = sent_as("topk", 0.01, 50_ms);
  const auto found = pushes(scenario, 3);
  expect_near(times_of(0, found), {0.121, 0.242, 0.363});
  EXPECT_NEAR(found[2].parts.compute.count, 0.121, kTiny);
  EXPECT_NEAR(found[2].parts.total().count, 0.121, kTiny);
  EXPECT_EQ(found[2].sent, netmodels::Bytes{});
}

TEST(Asynchronous, AWorkerRestoresNoMessageOfAnother) {  // the server sends parameters
  scenario::Scenario scenario = asp(4);
  scenario.exchange.compression = sent_as("topk", 0.01);
  scenario.exchange.compression.kernels.rows = {
      {.method = "topk", .cost = {30_ms, {}, {}}, .restoring = {{0.01, 5_ms, {}}}}};
  EXPECT_NEAR(pushes(scenario, 1).front().parts.compress.count, 0.030, kTiny);
}

// Worker 1 pulls until 161 ms, computes until 282, pushes until 443; worker 0 is on the server's host.
TEST(Asynchronous, AWorkerPullsComputesAndPushes) {
  const auto found = pushes(asp(2, 1_ms), 10);
  expect_near(times_of(1, found), {0.443, 0.886});
  expect_near(times_of(0, found), {0.121, 0.242, 0.363, 0.484});
  const Push& first = *std::ranges::find(found, 1U, &Push::worker);
  EXPECT_NEAR(first.parts.compute.count, 0.121, kTiny);
  EXPECT_NEAR(first.parts.exchange.count, 0.322, kTiny);
  EXPECT_EQ(first.parts.wait, netmodels::Seconds{});
}

TEST(Asynchronous, AServerOnAHostOfItsOwnIsFarFromEverybody) {  // all pull at once: 320 ms, 121 ms, 320 ms
  scenario::Scenario scenario = asp(2);
  scenario.exchange.synchronisation = policies::synchronisation("asp", policies::Asynchronous{});
  const auto found = pushes(scenario, 4);
  expect_near(times_of(0, found), {0.761, 1.522});
  expect_near(times_of(1, found), {0.761, 1.522});
  EXPECT_EQ(found[0].sent, 32_MB);
}

TEST(Asynchronous, OneWorkerFarFromItsServerCompressesAndSends) {  // 160 ms, 121 ms, 50 ms, 3.2 ms
  scenario::Scenario scenario = asp(1);
  scenario.exchange.synchronisation = policies::synchronisation("asp", policies::Asynchronous{});
  scenario.exchange.compression = sent_as("topk", 0.01, 50_ms);
  const auto found = pushes(scenario, 1);
  EXPECT_NEAR(found[0].at.count, 0.3342, kTiny);
  EXPECT_NEAR(found[0].sent.count, 16.32e6, 1e-6);
}

// Two equal workers share the server's links: 320 ms for both pulls, 121 ms, 320 ms for both pushes.
TEST(Asynchronous, EqualWorkersShareTheServersLinks) {
  const auto found = pushes(asp(3), 16);
  expect_near(times_of(1, found), {0.761, 1.522});
  expect_near(times_of(2, found), {0.761, 1.522});
}

TEST(Asynchronous, CompressionShrinksThePushAndCostsItsTime) {  // 1 % of 4 million values, 8 bytes each
  scenario::Scenario scenario = asp(2);
  scenario.exchange.compression = sent_as("topk", 0.01, 50_ms);
  const auto found = pushes(scenario, 6);
  const Push& first = *std::ranges::find(found, 1U, &Push::worker);
  EXPECT_NEAR(first.at.count, 0.16 + 0.121 + 0.05 + 0.0032, kTiny);
  EXPECT_NEAR(first.parts.compress.count, 0.05, kTiny);
}

TEST(Asynchronous, AWorkerSendsWhatItPushesAndIsSentWhatItPulls) {  // the server's neighbour sends nothing
  for (const Push& push : pushes(asp(3), 12))
    EXPECT_EQ(push.sent, push.worker == 0 ? netmodels::Bytes{} : 32_MB) << push.worker;
}

TEST(Asynchronous, GradientsReachTheServerInTheOrderOfTime) {
  scenario::Scenario scenario = asp(5);
  scenario.work.compute.jitter = {scenario::JitterKind::exponential, 0, 1};
  const auto found = pushes(scenario, 200);
  EXPECT_TRUE(std::ranges::is_sorted(found, {}, &Push::at));
}

TEST(Asynchronous, EveryWorkerCountsItsOwnSteps) {
  scenario::Scenario scenario = asp(4);
  scenario.cluster.speeds = {1, 0.5, 0.3, 0.7};
  std::vector<std::int64_t> steps(4, 0);
  for (const Push& push : pushes(scenario, 100)) EXPECT_EQ(push.step, steps[push.worker]++);
}

// Worker 0 pushes at 121, 242, 363 ms; worker 1, which pulled at 0, at 441. Worker 0's fourth, pulled at 363,
// comes at 484.
TEST(Asynchronous, StalenessIsWhatTheServerTookSinceThePull) {
  const auto found = pushes(asp(2), 5);
  std::vector<std::int64_t> staleness;
  for (const Push& push : found) staleness.push_back(push.staleness);
  EXPECT_EQ(found[3].worker, 1U);
  EXPECT_EQ(staleness, (std::vector<std::int64_t>{0, 0, 0, 3, 1}));
}

TEST(Asynchronous, PullsAreToldWhenTheyBegin) {
  const scenario::Scenario scenario = asp(2);
  ClusterCache clusters;
  const auto training = Asynchronous::make(scenario, clusters).value();
  std::vector<std::uint32_t> pulled;
  PaceListener listener;
  listener.pulled = [&](std::uint32_t worker) { pulled.push_back(worker); };
  (void)training->next(listener);
  EXPECT_EQ(pulled, (std::vector<std::uint32_t>{0, 1}));
  (void)training->next(listener);
  EXPECT_EQ(pulled, (std::vector<std::uint32_t>{0, 1, 0}));
}

TEST(Asynchronous, NobodyIsSlowedByASlowWorkerThatComputes) {
  scenario::Scenario scenario = asp(3);
  const auto even = times_of(0, pushes(scenario, 30));
  scenario.cluster.speeds = {1, 1, 0.001};
  const auto found = pushes(scenario, 30);
  expect_near(times_of(0, found), {even.begin(), even.begin() + 10});
  EXPECT_TRUE(times_of(2, found).empty());
  expect_near(times_of(1, found), {0.32 + 0.121 + 0.16});  // and it has the links for itself
}

// Worker 0 has computed at 121 ms and waits until the other's gradient is there, at 441 ms.
TEST(StaleSynchronous, WithoutStalenessAllWaitForTheSlowest) {
  const auto found = pushes(ssp(2, 0), 6);
  expect_near(times_of(0, found), {0.121, 0.562, 1.003});
  expect_near(times_of(1, found), {0.441, 0.882, 1.323});
  EXPECT_NEAR(found[2].parts.wait.count, 0.32, kTiny);
  EXPECT_NEAR(found[2].parts.compute.count, 0.121, kTiny);
}

TEST(StaleSynchronous, AWorkerMayBeSoManyStepsAheadAndThenWaits) {  // two beyond the one that is under way
  const auto found = pushes(ssp(2, 2), 8);
  expect_near(times_of(0, found), {0.121, 0.242, 0.363, 0.562, 1.003});
}

/// The largest lead of a worker over another one after any push.
std::int64_t largest_lead(const scenario::Scenario& scenario, int count) {
  std::vector<std::int64_t> steps(static_cast<std::size_t>(scenario.cluster.workers), 0);
  std::int64_t lead = 0;
  for (const Push& push : pushes(scenario, count)) {
    ++steps[push.worker];
    lead = std::max(lead, std::ranges::max(steps) - std::ranges::min(steps));
  }
  return lead;
}

TEST(StaleSynchronous, NobodyIsEverFurtherAheadThanTheBound) {  // one step may be under way beyond it
  for (const std::int64_t staleness : {0, 1, 3}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      scenario::Scenario scenario = ssp(5, staleness);
      scenario.work.compute.jitter = {scenario::JitterKind::exponential, 0, 1};
      scenario.cluster.speeds = {1, 0.2, 2, 1, 0.9};
      scenario.simulation.seed = seed;
      EXPECT_EQ(largest_lead(scenario, 150), staleness + 1) << staleness << ' ' << seed;
    }
  }
}

TEST(StaleSynchronous, ABoundThatNobodyReachesIsNone) {
  const auto bounded = pushes(ssp(3, 1000), 50);
  const auto free = pushes(asp(3), 50);
  for (std::size_t i = 0; i < free.size(); ++i) EXPECT_EQ(bounded[i].at, free[i].at) << i;
}

TEST(Asynchronous, ATraceWithoutEndIsPlayedAlsoWhereNobodyComputes) {  // worker 0 waits for worker 1's push
  scenario::Scenario scenario = ssp(2, 0);
  scenario::LinkTrace trace;
  trace.points = {{{}, netmodels::Bandwidth{100e6}, {}}, {20_ms, netmodels::Bandwidth{50e6}, {}}};
  trace.period = 40_ms;
  scenario.cluster.traces = {trace};
  const auto found = pushes(scenario, 2);  // the pull until 210 ms, the push from 331 ms on
  EXPECT_NEAR(found[1].at.count, 0.542, 1e-9);
}

TEST(Asynchronous, ASlowDownInTimeReachesTheComputationsThatBeginInIt) {
  scenario::Scenario scenario = asp(1);
  scenario.work.compute.slowdowns = {{0, 200_ms, 300_ms, 3}};
  expect_near(times_of(0, pushes(scenario, 4)), {0.121, 0.242, 0.605, 0.726});
}

TEST(Asynchronous, BatchesOfTheirOwnTakeTheirOwnTime) {
  scenario::Scenario scenario = asp(2);
  scenario.work.training.batches = {10, 5};
  const double whole = scenario.work.workload.compute(10).count;
  const double half = scenario.work.workload.compute(5).count;
  const auto found = pushes(scenario, 4);
  expect_near(times_of(0, found), {whole});
  EXPECT_NEAR(std::ranges::find(found, 1U, &Push::worker)->parts.compute.count, half, kTiny);
}

TEST(Asynchronous, AClusterThatCannotBeBuiltIsRefused) {
  scenario::Scenario scenario = asp(2);
  scenario::LinkChange change = at_time(1_s, kSlow);
  change.links = {"nowhere"};
  scenario.cluster.changes = {change};
  ClusterCache clusters;
  EXPECT_EQ(Asynchronous::make(scenario, clusters).error().what, "unknown link `nowhere`");
}

}  // namespace
}  // namespace sim::engine
