// Workers at their own pace whose models are merged: messages, quorums, grace and absences by hand.
#include "sim/engine/decoupled.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/diloco.hpp"
#include "sim/engine/simulate_asynchronous.hpp"
#include "sim/report/reason_text.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using policies::DecoupledDiLoCo;
using policies::MergingHost;
using policies::MergingServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

/// A step computes for 121 ms, and the model is 16 MB. The first worker's host merges, and waits for nobody
/// beyond the quorum.
scenario::Scenario merging(int workers, MergingServer server) {
  scenario::Scenario scenario = plain(workers, {}, kSlow, 100);
  scenario.exchange.synchronisation = policies::synchronisation("decoupled_diloco", DecoupledDiLoCo{server});
  return scenario;
}

constexpr MergingServer both{
    .host = MergingHost::first_worker, .every = 2, .quorum = 2, .overlap = 0, .grace = 0};

/// What happened, with its time.
struct Log {
  struct Entry {
    double at;
    std::uint32_t worker;
    std::int64_t fragment;
  };
  struct Merge {
    double at;
    std::int64_t fragment;
    std::vector<std::pair<std::uint32_t, double>> offers;  ///< workers and weights
  };
  std::vector<Push> steps;
  std::vector<Entry> offered, received;
  std::vector<Merge> merges;
  std::vector<double> joined;
  std::vector<std::uint32_t> sources;
  std::vector<std::string> notes;
  MergingResult merging;
};

/// @param count  steps of any worker
Log log_of(const scenario::Scenario& scenario, int count) {
  ClusterCache clusters;
  const auto training = Decoupled::make(scenario, clusters).value();
  Log log;
  PaceListener listener;
  listener.offered = [&](std::uint32_t worker, std::int64_t fragment) {
    log.offered.push_back({training->now().count, worker, fragment});
  };
  listener.received = [&](std::uint32_t worker, std::int64_t fragment) {
    log.received.push_back({training->now().count, worker, fragment});
  };
  listener.merged = [&](std::int64_t fragment, const std::vector<learning::learners::Offered>& offers) {
    log.merges.push_back({training->now().count, fragment, {}});
    for (const auto& offer : offers) log.merges.back().offers.emplace_back(offer.worker, offer.weight);
  };
  listener.joined = [&](std::uint32_t, std::uint32_t source) {
    log.joined.push_back(training->now().count);
    log.sources.push_back(source);
  };
  listener.noted = [&](const Reason& note) { log.notes.push_back(report::reason_text(note)); };
  for (int step = 0; step < count; ++step) {
    const auto next = training->next(listener);
    if (!next) break;
    log.steps.push_back(*next);
  }
  log.merging = training->merging().value();
  return log;
}

std::vector<double> times(const std::vector<Log::Entry>& entries, std::uint32_t worker) {
  std::vector<double> found;
  for (const Log::Entry& entry : entries)
    if (entry.worker == worker) found.push_back(entry.at);
  return found;
}

std::vector<double> steps_of_worker(const Log& log, std::uint32_t worker) {
  std::vector<double> found;
  for (const Push& step : log.steps)
    if (step.worker == worker) found.push_back(step.at.count);
  return found;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_GE(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], kTiny) << i;
}

// Both have made two steps at 242 ms. Worker 1's message arrives at 402, what is merged reaches it at 562.
// Each takes it after the step that it is in: worker 0 at 484, worker 1 at 605. The next merge begins when
// both can send again, at 726.
TEST(Decoupled, AMergeBeginsWhenTheQuorumHasMadeItsStepsAndNobodyStops) {
  const Log log = log_of(merging(2, both), 16);
  expect_near(steps_of_worker(log, 0), {0.121, 0.242, 0.363, 0.484, 0.605, 0.726, 0.847});
  expect_near(steps_of_worker(log, 1), {0.121, 0.242, 0.363, 0.484, 0.605, 0.726, 0.847});
  expect_near(times(log.offered, 0), {0.242, 0.726});
  expect_near(times(log.offered, 1), {0.242, 0.726});
  ASSERT_FALSE(log.merges.empty());
  EXPECT_NEAR(log.merges[0].at, 0.402, kTiny);
  EXPECT_THAT(log.merges[0].offers, ElementsAre(Pair(0U, 200), Pair(1U, 200)));  // 20 samples in 2 steps
  expect_near(times(log.received, 0), {0.484});
  expect_near(times(log.received, 1), {0.605});
}

TEST(Decoupled, StepsHideAllOfTheExchange) {
  for (const Push& step : log_of(merging(2, both), 16).steps) {
    EXPECT_NEAR(step.parts.compute.count, 0.121, kTiny);
    EXPECT_NEAR(step.parts.total().count, 0.121, kTiny);
  }
}

TEST(Decoupled, AMessageEachWayIsSentByEveryWorkerAwayFromTheServer) {
  netmodels::Bytes sent;
  for (const Push& step : log_of(merging(2, both), 10).steps) sent += step.sent;  // up to 605 ms: one round
  EXPECT_EQ(sent, 32_MB);
}

// Worker 0, beside the server, is the quorum by itself at 242 ms; worker 1's message comes 160 ms later.
TEST(Decoupled, AMessageAfterTheMergeIsDropped) {
  MergingServer one = both;
  one.quorum = 1;
  const Log log = log_of(merging(2, one), 8);
  ASSERT_FALSE(log.merges.empty());
  EXPECT_NEAR(log.merges[0].at, 0.242, kTiny);
  EXPECT_THAT(log.merges[0].offers, ElementsAre(Pair(0U, 200)));
  EXPECT_EQ(log.merging.merges, 1);
  EXPECT_EQ(log.merging.workers, 1);
  EXPECT_EQ(log.merging.late, 1);
  EXPECT_NEAR(*log.merging.steps_apart, 4, kTiny);  // of the four that each worker made
}

// Two steps of overlap leave 242 ms of time, of which the grace is a half, 121: too little for 160.
TEST(Decoupled, TheGraceWindowIsAShareOfTheTimeThatTheOverlapLeaves) {
  MergingServer graceful = both;
  graceful.quorum = 1;
  graceful.overlap = 2;
  graceful.grace = 0.5;
  const Log half = log_of(merging(2, graceful), 12);
  ASSERT_FALSE(half.merges.empty());
  EXPECT_NEAR(half.merges[0].at, 0.242 + 0.121, kTiny);
  EXPECT_EQ(half.merges[0].offers.size(), 1U);
  graceful.grace = 1;
  const Log whole = log_of(merging(2, graceful), 12);
  EXPECT_NEAR(whole.merges[0].at, 0.402, kTiny);  // all are there: nothing is left to wait for
  EXPECT_EQ(whole.merges[0].offers.size(), 2U);
}

// At 605 ms worker 0 has made five steps and worker 1, which is half as fast, two.
TEST(Decoupled, AChangeCountsBySamplesTimesSamplesAStep) {
  MergingServer server = both;
  server.every = 5;
  server.quorum = 1;
  server.overlap = 2;
  server.grace = 1;
  scenario::Scenario scenario = merging(2, server);
  scenario.cluster.speeds = {1, 0.5};
  const Log log = log_of(scenario, 20);
  ASSERT_FALSE(log.merges.empty());
  EXPECT_NEAR(log.merges[0].at, 0.605 + 0.16, kTiny);
  EXPECT_THAT(log.merges[0].offers, ElementsAre(Pair(0U, 50 * 50 / 5), Pair(1U, 20 * 20 / 2)));
}

TEST(Decoupled, FragmentsAreMergedInTurnAtEqualDistances) {
  MergingServer server = both;
  server.every = 4;
  server.fragments = 4;
  const scenario::Scenario scenario = merging(2, server);
  const Log log = log_of(scenario, 24);
  std::vector<std::int64_t> fragments;
  for (const Log::Merge& merge : log.merges) fragments.push_back(merge.fragment);
  ASSERT_GE(fragments.size(), 5U);
  fragments.resize(5);
  EXPECT_THAT(fragments, ElementsAre(0, 1, 2, 3, 0));
  EXPECT_NEAR(log.merges[0].at, 0.121 + 0.04, kTiny);  // a quarter of 16 MB
  EXPECT_NEAR(log.merges[1].at, 0.242 + 0.04, kTiny);
}

// Each host merges half: 8 MB from each to the other, at once, and 8 MB back.
TEST(Decoupled, AServerOnAllHostsMergesAPartOnEach) {
  MergingServer server = both;
  server.host = MergingHost::sharded;
  const Log log = log_of(merging(2, server), 10);
  ASSERT_FALSE(log.merges.empty());
  EXPECT_NEAR(log.merges[0].at, 0.242 + 0.08, kTiny);
  expect_near(times(log.received, 0), {0.484});  // arrived at 402 ms
  expect_near(times(log.received, 1), {0.484});
}

TEST(Decoupled, AServerOnAHostOfItsOwnIsFarFromEverybody) {  // 32 MB enter it, 320 ms
  MergingServer server = both;
  server.host = MergingHost::own;
  EXPECT_NEAR(log_of(merging(2, server), 12).merges.at(0).at, 0.562, kTiny);
}

TEST(Decoupled, OneWorkerSendsNothing) {
  MergingServer server = both;
  server.quorum = 1;
  server.host = MergingHost::sharded;
  const Log log = log_of(merging(1, server), 6);
  ASSERT_GE(log.merges.size(), 2U);
  EXPECT_NEAR(log.merges[0].at, 0.242, kTiny);
  for (const Push& step : log.steps) EXPECT_EQ(step.sent, netmodels::Bytes{});
}

// 1 % of 4 million values, 8 bytes each, after 50 ms in which the worker computes nothing else.
TEST(Decoupled, ChangesAreCompressedAndMergedModelsAreNot) {
  scenario::Scenario scenario = merging(2, both);
  scenario.exchange.compression = sent_as("topk", 0.01, 50_ms);
  const Log log = log_of(scenario, 10);
  ASSERT_FALSE(log.merges.empty());
  EXPECT_NEAR(log.merges[0].at, 0.242 + 0.05 + 0.0032, kTiny);
  const auto compressed = std::ranges::find_if(
      log.steps, [](const Push& step) { return step.parts.compress > netmodels::Seconds{}; });
  ASSERT_NE(compressed, log.steps.end());
  EXPECT_NEAR(compressed->parts.compress.count, 0.05, kTiny);
  EXPECT_NEAR(compressed->at.count, 0.363 + 0.05, kTiny);
  netmodels::Bytes sent;
  for (const Push& step : log.steps)
    if (step.at.count < 0.7) sent += step.sent;
  EXPECT_NEAR(sent.count, 0.32e6 + 16e6, 1);
}

TEST(Decoupled, NobodyWaitsForAWorkerThatLeaves) {
  MergingServer server = both;
  server.quorum = 1;
  scenario::Scenario scenario = merging(2, server);
  scenario.cluster.absences = {{1, 100_ms, {}}};
  const Log log = log_of(scenario, 20);
  expect_near(steps_of_worker(log, 1), {0.121});  // it finishes the step that it is in
  EXPECT_THAT(log.notes, ElementsAre("worker 1 left: 1 continue"));
  ASSERT_GE(log.merges.size(), 3U);
  for (const Log::Merge& merge : log.merges) EXPECT_EQ(merge.offers.size(), 1U);
}

TEST(Decoupled, AQuorumThatIsNotThereIsWaitedForWhileStepsGoOn) {
  scenario::Scenario scenario = merging(2, both);
  scenario.cluster.absences = {{1, 100_ms, {}}};
  const Log log = log_of(scenario, 20);
  EXPECT_EQ(log.steps.size(), 20U);
  EXPECT_THAT(log.merges, IsEmpty());
  EXPECT_FALSE(log.merging.steps_apart.has_value());
}

// It returns at 1 s and downloads 12 bytes for each of 4 million values, 480 ms, before it resumes.
TEST(Decoupled, AWorkerThatReturnsDownloadsTheModelOfAnother) {
  MergingServer server = both;
  server.quorum = 1;
  server.every = 100;
  scenario::Scenario scenario = merging(2, server);
  scenario.work.parallelism.states.optimizer = 12;
  scenario.cluster.absences = {{1, 100_ms, 1_s}};
  const Log log = log_of(scenario, 20);
  expect_near(log.joined, {1.48});
  EXPECT_THAT(log.sources, ElementsAre(0U));
  expect_near(steps_of_worker(log, 1), {0.121, 1.601});
  EXPECT_THAT(log.notes, ElementsAre("worker 1 left: 1 continue", "worker 1 returned: 2 continue"));
}

TEST(Decoupled, TheLastWorkerThatLeavesForGoodEndsTheTraining) {
  scenario::Scenario scenario = merging(2, both);
  scenario.cluster.absences = {{0, 100_ms, {}}, {1, 300_ms, {}}};
  EXPECT_EQ(log_of(scenario, 20).steps.size(), 4U);
  const ArmResult result = result_of(scenario);
  EXPECT_EQ(result.ending, Ending::stopped_by_failure);
  ASSERT_FALSE(result.events.empty());
  EXPECT_THAT(report::reason_text(result.events.at(2).what), HasSubstr("no workers left: training stops"));
}

TEST(Decoupled, WhenAllAreAwayTheFirstThatReturnsGoesOnByItself) {
  MergingServer server = both;
  server.quorum = 1;
  scenario::Scenario scenario = merging(2, server);
  scenario.cluster.absences = {{0, 100_ms, 1_s}, {1, 100_ms, 2_s}};
  const Log log = log_of(scenario, 4);
  EXPECT_THAT(log.joined, IsEmpty());  // there is no other to take a model from
  expect_near(steps_of_worker(log, 0), {0.121, 1.121, 1.242});
  EXPECT_EQ(log.notes.back(), "worker 0 returned: 1 continue");
}

TEST(Decoupled, ARunRecordsMergesAsExchangesOfParameters) {
  MergingServer server = both;
  server.every = 4;
  scenario::Scenario scenario = merging(2, server);
  scenario.work.training.steps = 8;
  const auto steps = steps_of(scenario);
  ASSERT_EQ(steps.size(), 8U);
  EXPECT_EQ(steps[0].traffic, Traffic::nothing);
  EXPECT_EQ(steps[0].collective, "");
  EXPECT_TRUE(std::ranges::any_of(steps, [](const StepRecord& step) {
    return step.traffic == Traffic::parameters && step.collective == "merge";
  }));
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.time.count, 8 * 0.121, kTiny);
  EXPECT_EQ(result.merging->merges, 1);
  EXPECT_EQ(result.merging->workers, 2);
}

// What is merged is what it has, at the end of every second step.
TEST(Decoupled, OneWorkerLearnsAsItDoesByItself) {
  MergingServer server = both;
  server.quorum = 1;
  server.outer_rate = 1;
  server.outer_momentum = 0;
  scenario::Scenario scenario = merging(1, server);
  scenario.work.training.steps = 6;
  scenario.learner.kind = learning::learners::live("mlp_32");
  const auto merged = steps_of(scenario);
  scenario.exchange.synchronisation = {};
  const auto alone = steps_of(scenario);
  for (std::size_t step = 0; step < 6; ++step)
    EXPECT_NEAR(*merged[step].learning->loss, *alone[step].learning->loss, 1e-6) << step;
}

// Workers that all answer in time, and take the mean one step later, do what streaming DiLoCo does.
TEST(Decoupled, WorkersThatAllAnswerLearnAsInStreamingDiLoCo) {
  MergingServer server{
      .host = MergingHost::sharded, .every = 4, .quorum = 3, .merging = policies::Merging::mean};
  server.outer_momentum = 0.5;
  scenario::Scenario scenario = merging(3, server);
  scenario.cluster.link.bandwidth = netmodels::Bandwidth{1e18};
  scenario.work.training.steps = 12;
  scenario.learner.kind = learning::learners::live("mlp_32");
  scenario.learner.evaluate_every = 4;
  const auto apart = result_of(scenario).learning->curve;
  scenario.exchange.synchronisation = policies::synchronisation(
      "diloco", policies::DiLoCo::Settings{.every = 4, .outer_momentum = 0.5, .delay = 1});
  const auto together = result_of(scenario).learning->curve;
  ASSERT_EQ(apart.size(), together.size());
  for (std::size_t test = 0; test + 1 < apart.size(); ++test)  // it is tested one step later
    EXPECT_NEAR(*apart[test + 1].loss, *together[test].loss, 1e-5) << test;
}

// Worker 2 is a hundred times slower: it never makes a step between two merges, and nothing waits for it.
TEST(Decoupled, AVerySlowWorkerHoldsUpNoMerge) {
  MergingServer server = both;
  server.quorum = 2;
  scenario::Scenario scenario = merging(3, server);
  scenario.cluster.link.bandwidth = netmodels::Bandwidth{1e15};
  const std::size_t alike = log_of(scenario, 120).merges.size();
  scenario.cluster.speeds = {1, 1, 0.01};
  const Log log = log_of(scenario, 80);  // as many steps of workers 0 and 1
  EXPECT_GE(log.merges.size() + 1, alike);
  for (std::size_t merge = 1; merge < log.merges.size(); ++merge)
    EXPECT_NEAR(log.merges[merge].at - log.merges[merge - 1].at, 2 * 0.121, 1e-6) << merge;
}

// Worker 2's link takes 160 s for a model; what is merged since then follows once that has arrived.
TEST(Decoupled, AVerySlowLinkHoldsUpNoMerge) {
  MergingServer server = both;
  server.host = MergingHost::first_worker;
  scenario::Scenario scenario = merging(3, server);
  scenario.cluster.link.bandwidth = netmodels::Bandwidth{1e15};
  scenario.cluster.worker_links.push_back({.workers = {2}, .link = {{}, netmodels::Bandwidth{1e5}}});
  const Log log = log_of(scenario, 90);
  ASSERT_GE(log.merges.size(), 13U);
  for (const Log::Merge& merge : log.merges)
    EXPECT_TRUE(std::ranges::none_of(merge.offers, [](const auto& offer) { return offer.first == 2; }));
  EXPECT_THAT(times(log.received, 2), IsEmpty());
}

// Three steps of overlap are 363 ms from the launch on. The first merge took 160 ms or more, at the bandwidth
// that it shared, to reach worker 1, the second of the quorum: the next is closed so much earlier.
TEST(Decoupled, TheGraceWindowIsShorterByTheTimeInWhichTheLastMergeReachedTheQuorum) {
  MergingServer server{.host = MergingHost::first_worker, .every = 4, .quorum = 2, .overlap = 3, .grace = 1};
  scenario::Scenario scenario = merging(3, server);
  scenario.cluster.worker_links.push_back(
      {.workers = {2}, .link = {{}, netmodels::Bandwidth{20e6}}});  // 800 ms for a model
  const Log log = log_of(scenario, 60);
  ASSERT_GE(log.merges.size(), 2U);
  EXPECT_NEAR(log.merges[0].at, times(log.offered, 1).at(0) + 0.363, 1e-6);
  EXPECT_EQ(log.merges[0].offers.size(), 2U);
  const double second = log.merges[1].at - times(log.offered, 1).at(1);
  EXPECT_LT(second, 0.363 - 0.16);
  EXPECT_GT(second, 0.16 - 1e-6);
}

// Worker 1 returns while a merge is on its way to worker 0, whose model it takes: it is sent the merge, too.
TEST(Decoupled, AWorkerThatReturnsIsSentWhatItsSourceHasNotReceived) {
  MergingServer server = both;
  server.quorum = 1;
  scenario::Scenario scenario = merging(3, server);
  scenario.work.parallelism.states.optimizer = 4;  // 160 ms
  scenario.cluster.absences = {{1, 100_ms, 300_ms}};
  const Log log = log_of(scenario, 30);
  ASSERT_FALSE(log.joined.empty());
  EXPECT_NEAR(log.joined[0], 0.46, kTiny);
  EXPECT_THAT(log.sources, ElementsAre(2U));
  const auto first = times(log.received, 1);
  ASSERT_FALSE(first.empty());
  EXPECT_GT(first[0], 0.46);
}

/// Two nodes of two workers: 1 GB/s inside, where gradients of 16 MB are scattered and gathered in each step.
scenario::Scenario two_sites() {
  scenario::Scenario scenario = merging(4, both);
  scenario.cluster.workers_per_node = 2;
  scenario.cluster.inner_link = netmodels::LinkState{{}, {1e9}};
  scenario.exchange.collective = "auto";
  scenario.work.parallelism.site = scenario::SiteKind::node;
  return scenario;
}

constexpr double kSiteStep = 0.121 + 2 * 0.008;
constexpr double kBySimGrid = 1e-6;

TEST(Decoupled, ASiteStepsAsOneAndSendsItsModelOverItsFirstWorkersLink) {
  const Log log = log_of(two_sites(), 10);
  const std::vector<double> steps = steps_of_worker(log, 1);
  ASSERT_GE(steps.size(), 2U);
  EXPECT_NEAR(steps[1], 2 * kSiteStep, kBySimGrid);
  EXPECT_EQ(log.steps[0].samples, 20);
  EXPECT_NEAR(log.steps[0].parts.exchange.count, 2 * 0.008, kBySimGrid);
  ASSERT_FALSE(log.merges.empty());
  EXPECT_NEAR(log.merges[0].at, 2 * kSiteStep + 0.16, kBySimGrid);
  EXPECT_THAT(log.merges[0].offers, ElementsAre(Pair(0U, 800), Pair(1U, 800)));  // 40 samples in 2 steps
}

TEST(Decoupled, ASiteIsAsSlowAsItsSlowestWorker) {
  scenario::Scenario scenario = two_sites();
  scenario.cluster.speeds = {1, 1, 1, 0.5};
  const Log log = log_of(scenario, 6);
  EXPECT_NEAR(log.steps[0].parts.compute.count, 0.121, kBySimGrid);
  EXPECT_NEAR(steps_of_worker(log, 1).at(0), 0.242 + 2 * 0.008, kBySimGrid);
}

TEST(Decoupled, AStepOfSitesHoldsTheSamplesOfAllWorkers) {
  scenario::Scenario scenario = two_sites();
  scenario.work.training.steps = 3;
  const auto steps = steps_of(scenario);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].samples, 40);
  EXPECT_NEAR(steps[0].duration.count, kSiteStep, kBySimGrid);
  EXPECT_EQ(steps[0].sent, 16_MB);  // a worker sends 8 MB twice, inside its node
}

TEST(Decoupled, SlowDownsOfOneWorkerCostTheOthersNothing) {
  scenario::Scenario scenario = merging(4, {.every = 10, .quorum = 1});
  scenario.cluster.speeds = {1, 1, 1, 0.1};
  expect_near(steps_of_worker(log_of(scenario, 60), 2), {0.121, 0.242, 0.363, 0.484, 0.605, 0.726});
}

TEST(Decoupled, AClusterThatCannotBeBuiltIsRefused) {
  scenario::Scenario scenario = merging(2, both);
  scenario::LinkChange change = at_time(1_s, kSlow);
  change.links = {"nowhere"};
  scenario.cluster.changes = {change};
  ClusterCache clusters;
  EXPECT_EQ(Decoupled::make(scenario, clusters).error().what, "unknown link `nowhere`");
}

}  // namespace
}  // namespace sim::engine
