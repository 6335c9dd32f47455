// Two levels: workers of a node together in every step, nodes by their models. Figures by hand.
#include "sim/engine/site_step.hpp"

#include <gtest/gtest.h>

#include "learning/learners/live_learner.hpp"
#include "policies/diloco.hpp"
#include "policies/local_steps.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/reason_text.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

/// Two nodes of two workers, 1 GB/s inside and 100 MB/s between them; models are averaged every second step.
scenario::Scenario two_sites(std::int64_t steps) {
  scenario::Scenario scenario = plain(4, {}, kSlow, steps);
  scenario.cluster.workers_per_node = 2;
  scenario.cluster.inner_link = netmodels::LinkState{{}, {1e9}};
  scenario.exchange.collective = "auto";
  scenario.work.parallelism.site = scenario::SiteKind::node;
  scenario.exchange.synchronisation =
      policies::synchronisation("periodic", policies::Periodic::Settings{.every = 2});
  return scenario;
}

constexpr double kInside = 0.121 + 2 * 0.008;  // 8 MB scattered and gathered at 1 GB/s
constexpr double kBySimGrid = 1e-6;            // of SimGrid

TEST(SiteStep, GradientsStayInTheNodeUntilModelsAreExchanged) {
  const auto steps = steps_of(two_sites(2));
  EXPECT_NEAR(steps[0].duration.count, kInside, kBySimGrid);
  // All-reduce of 8 MB on each of two workers, whose messages of 4 MB share the node's link, twice; then 8 MB
  // are gathered inside.
  EXPECT_NEAR(steps[1].duration.count, kInside + 2 * 0.08 + 0.008, kBySimGrid);
  EXPECT_NEAR(steps[0].sent->count, 16e6, 1);
  EXPECT_NEAR(steps[1].sent->count, 16e6 + 8e6 + 8e6, 1);
}

TEST(SiteStep, BytesToOtherNodesAreToldFromThoseInside) {
  scenario::Scenario scenario = two_sites(2);
  const auto steps = steps_of(scenario);
  EXPECT_EQ(steps[0].between_nodes->count, 0);
  EXPECT_NEAR(steps[1].between_nodes->count, 8e6, 1);
  EXPECT_NEAR(result_of(scenario).whole.between_nodes->count, 4e6, 1);
  // A ring of 4 in which every second worker sends to the other node: 6 rounds of 4 MB.
  scenario.work.parallelism.site = scenario::SiteKind::none;
  scenario.exchange.synchronisation = {};
  scenario.exchange.collective = "ring_allreduce";
  EXPECT_NEAR(steps_of(scenario)[0].between_nodes->count, 12e6, 1);
  EXPECT_NEAR(steps_of(scenario)[0].sent->count, 24e6, 1);
  scenario.cluster.workers_per_node = 1;
  scenario.cluster.inner_link.reset();
  EXPECT_FALSE(steps_of(scenario)[0].between_nodes);
  EXPECT_FALSE(result_of(scenario).whole.between_nodes);
  scenario.stated = std::make_shared<const scenario::Stated>(
      scenario::Stated{.cluster = scenario.cluster});  // one GPU of each node is simulated
  EXPECT_NEAR(steps_of(scenario)[0].between_nodes->count, 24e6, 1);
}

TEST(SiteStep, CompressedChangesAreGatheredBetweenNodes) {  // 10 %: 400 000 pairs, 3.2 MB of a node
  scenario::Scenario scenario = two_sites(2);
  scenario.exchange.compression = sent_as("topk", 0.1, netmodels::Seconds{});
  const auto steps = steps_of(scenario);
  // 1.6 MB from each of two workers over the node's link; both nodes' 6.4 MB by halves inside.
  EXPECT_NEAR(steps[1].duration.count, kInside + 0.032 + 0.0032, kBySimGrid);
}

TEST(SiteStep, AFragmentIsAShareOfTheModel) {
  scenario::Scenario scenario = two_sites(2);
  scenario.exchange.synchronisation =
      policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = 4, .fragments = 2});
  EXPECT_NEAR(steps_of(scenario)[1].duration.count, kInside + 0.08 + 0.004, kBySimGrid);
}

// Each exchange is explained by the links that it uses. Inside: rounds of 1 ms + 8 MB at 1 GB/s, of which the
// sum of gradients has two. Between: two rounds of
// 4 MB at 100 MB/s after 11 ms; both workers of a node share its link, so that they take twice as long.
TEST(SiteStep, ExchangesInsideAndBetweenNodesAreExplainedByTheirOwnLinks) {
  scenario::Scenario scenario = two_sites(2);
  scenario.cluster.link.latency = 10_ms;
  scenario.cluster.inner_link->latency = 1_ms;
  ClusterCache clusters;
  const auto steps = explain(scenario, clusters).value();
  int inside = 0;
  int between = 0;
  for (const ExplainedExchange& exchange : steps[0].exchanges) {
    if (exchange.collective.ends_with("within nodes")) {
      ++inside;
      const int rounds = exchange.collective.starts_with("ring_allreduce") ? 2 : 1;
      EXPECT_EQ(exchange.hop.latency, 1_ms);
      EXPECT_EQ(exchange.hop.bandwidth, netmodels::Bandwidth{1e9});
      EXPECT_NEAR(exchange.duration.count, rounds * 0.009, kBySimGrid);
      EXPECT_NEAR(exchange.by_formula.count, rounds * 0.009, 1e-12);
      EXPECT_NEAR(exchange.latency_share.count, rounds * 0.001, 1e-12);
    } else {
      ++between;
      EXPECT_EQ(exchange.hop.bandwidth, kSlow);
      EXPECT_NEAR(exchange.hop.latency.count, 0.011, 1e-12);
      EXPECT_NEAR(exchange.by_formula.count, 2 * (0.011 + 0.04), 1e-12);
      EXPECT_NEAR(exchange.duration.count, 2 * (0.011 + 0.08), kBySimGrid);
      EXPECT_NEAR(exchange.latency_share.count, 2 * 0.011, 1e-12);
    }
  }
  EXPECT_EQ(inside, 2);
  EXPECT_EQ(between, 1);
}

// The exchange of the second step, 168 ms, overlaps the third, which takes 137 ms.
TEST(SiteStep, LaterStepsHideTheExchangeOfModelsAndNotThoseInsideTheNode) {
  scenario::Scenario scenario = two_sites(4);
  const auto of = [&](std::int64_t delay) {
    scenario.exchange.synchronisation =
        policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = 2, .delay = delay});
    return steps_of(scenario);
  };
  const auto waited = of(0);
  EXPECT_NEAR(waited[1].duration.count, kInside + 0.168, kBySimGrid);
  const auto one = of(1);
  EXPECT_NEAR(one[1].duration.count, kInside, kBySimGrid);
  EXPECT_NEAR(one[1].sent->count, waited[1].sent->count, 1);
  EXPECT_NEAR(one[2].duration.count, kInside + 0.168 - kInside, kBySimGrid);
  EXPECT_NEAR(one[2].parts.exchange.count, 0.016 + 0.168 - kInside, kBySimGrid);
  const auto two = of(2);
  for (const StepRecord& step : two) EXPECT_NEAR(step.duration.count, kInside, kBySimGrid);
  ClusterCache clusters;
  scenario.exchange.synchronisation =
      policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = 2, .delay = 1});
  const auto explained = explain(scenario, clusters, {}).value();
  EXPECT_NEAR(explained[0].overlapped->waited.count, 0.168 - kInside, kBySimGrid);
  EXPECT_NEAR(explained[0].round->whole.count, kInside + 0.168, kBySimGrid);
}

TEST(SiteStep, ShardedStatesAreGatheredInsideWhileModelsAreUnderWay) {
  scenario::Scenario scenario = two_sites(40);
  scenario.work.parallelism.data = netmodels::find_sharding("fsdp");
  const auto time = [&](std::int64_t delay) {
    scenario.exchange.synchronisation =
        policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = 10, .delay = delay});
    return result_of(scenario).time.count;
  };
  const double local = steps_of(scenario)[0].duration.count;
  EXPECT_NEAR(time(5), 40 * local, 1e-3);
  EXPECT_GT(time(0), 40 * local + 4 * 0.1);
}

// The second node leaves after the first step and is back, with the model, after the exchange of the fourth:
// which the first node, by itself, does not make. 12 bytes of 4 million values take 0.48 s.
TEST(SiteStep, ANodeLeavesAndReturnsAsAWhole) {
  for (const bool sharded : {false, true}) {
    scenario::Scenario scenario = two_sites(8);
    if (sharded) scenario.work.parallelism.data = netmodels::find_sharding("fsdp");
    const double local = steps_of(scenario)[0].duration.count;
    const double exchanging = steps_of(scenario)[1].duration.count;
    scenario.cluster.absences = {{3, 100_ms, 200_ms}};
    const auto steps = steps_of(scenario);
    std::vector<std::uint32_t> workers;
    for (const StepRecord& step : steps) workers.push_back(step.workers);
    EXPECT_EQ(workers, (std::vector<std::uint32_t>{4, 2, 2, 2, 2, 2, 4, 4}));
    for (const std::size_t alone : {1U, 2U, 3U, 4U, 5U})
      EXPECT_NEAR(steps[alone].duration.count, local, kBySimGrid) << alone;
    EXPECT_NEAR(steps[7].duration.count, exchanging, kBySimGrid);
    const auto events = result_of(scenario).events;
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(report::reason_text(events[0].what), "node 1 left: 1 continue");
    EXPECT_EQ(report::reason_text(events[1].what), "node 1 returned: 2 continue");
  }
}

TEST(SiteStep, WhereAllNodesAreAwayTrainingWaitsForTheFirst) {
  scenario::Scenario scenario = two_sites(3);
  scenario.cluster.absences = {{0, 100_ms, 1_s}, {3, 100_ms, 2_s}};
  const ArmResult result = result_of(scenario);
  ASSERT_GE(result.events.size(), 2U);
  EXPECT_EQ(report::reason_text(result.events[0].what), "nodes 0, 1 left: 0 continue");
  EXPECT_EQ(report::reason_text(result.events[1].what), "node 0 returned: 1 continue");
  EXPECT_NEAR(result.outside_steps.count, 1 - kInside, kBySimGrid);
  EXPECT_NEAR(result.time.count, 1 + 2 * kInside, kBySimGrid);
}

TEST(SiteStep, UnderChurnNodesLeaveWithAllTheirWorkers) {
  scenario::Scenario scenario = two_sites(200);
  scenario.cluster.churn = scenario::Churn{2_s, 1_s, {3}};
  std::int64_t alone = 0;
  for (const StepRecord& step : steps_of(scenario)) {
    EXPECT_TRUE(step.workers == 2 || step.workers == 4) << step.workers;
    alone += step.workers == 2 ? 1 : 0;
  }
  EXPECT_GT(alone, 0);
  EXPECT_LT(alone, 200);
}

/// Of a small model that the scenario's workers train.
std::vector<double> losses_of(scenario::Scenario scenario) {
  scenario.learner.kind = learning::learners::live("mlp_32");
  scenario.learner.evaluate_every = 5;
  std::vector<double> losses;
  const auto result = result_of(scenario);
  for (const Evaluated& test : result.learning->curve) losses.push_back(*test.loss);
  return losses;
}

TEST(SiteStep, SitesThatLeaveLearnAsSingleWorkersDo) {
  scenario::Scenario sites = two_sites(40);
  sites.work.training.batch = 8;
  sites.exchange.synchronisation =
      policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = 4});
  scenario::Scenario workers = plain(2, {}, kSlow, 40);
  workers.work.training.batch = 16;
  workers.exchange.synchronisation = sites.exchange.synchronisation;
  const std::vector<double> whole = losses_of(sites);
  // Away for as many steps, though these take another time.
  const auto step_time = [](const scenario::Scenario& scenario) { return steps_of(scenario)[0].duration; };
  sites.cluster.absences = {{2, step_time(sites) * 1.5, {}}};
  workers.cluster.absences = {{1, step_time(workers) * 1.5, {}}};
  const std::vector<double> left = losses_of(sites);
  EXPECT_EQ(left, losses_of(workers));
  EXPECT_NE(left, whole);
}

TEST(SiteStep, SitesLearnWithOverlapAsSingleWorkersDo) {
  const auto streaming = policies::synchronisation(
      "diloco", policies::DiLoCo::Settings{.every = 4, .fragments = 2, .delay = 1, .mixing = 0.5});
  scenario::Scenario sites = two_sites(20);
  sites.work.training.batch = 8;
  sites.exchange.synchronisation = streaming;
  scenario::Scenario workers = plain(2, {}, kSlow, 20);
  workers.work.training.batch = 16;
  workers.exchange.synchronisation = streaming;
  EXPECT_EQ(losses_of(sites), losses_of(workers));
}

TEST(SiteStep, ASiteLearnsAsOneWorkerWithAllItsSamples) {
  scenario::Scenario sites = two_sites(20);
  sites.work.training.batch = 8;
  scenario::Scenario workers = plain(2, {}, kSlow, 20);
  workers.exchange.synchronisation = sites.exchange.synchronisation;
  workers.work.training.batch = 16;
  EXPECT_EQ(losses_of(sites), losses_of(workers));
  EXPECT_EQ(losses_of(sites).size(), 4U);
}

}  // namespace
}  // namespace sim::engine
