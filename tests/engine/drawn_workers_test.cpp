// FedAvg with some of the workers: what the exchange of those who were drawn costs, by hand.
#include "sim/engine/drawn_workers.hpp"

#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "policies/local_steps.hpp"
#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

constexpr double kComputing = 0.121;  ///< seconds of a step

/// Models of 16 MB, of which a share is averaged after every step, on links of 100 MB/s.
scenario::Scenario fedavg(int workers, double participants, std::int64_t steps = 1) {
  scenario::Scenario scenario =
      plain(workers, {}, kSlow, steps);  // a step is 10 a worker of a million samples
  scenario.exchange.synchronisation =
      policies::synchronisation("fedavg", policies::FedAvg::Settings{participants, 9e-6 * workers});
  return scenario;
}

TEST(DrawnWorkers, ExchangeAmongThemselves) {  // a ring: each of p sends 2 (p - 1) / p of 16 MB
  EXPECT_NEAR(steps_of(fedavg(4, 1))[0].duration.count, kComputing + 0.24, kTiny);
  EXPECT_NEAR(steps_of(fedavg(4, 0.75))[0].duration.count, kComputing + 0.32 * 2 / 3, kTiny);
  EXPECT_NEAR(steps_of(fedavg(4, 0.5))[0].duration.count, kComputing + 0.16, kTiny);
}

TEST(DrawnWorkers, AloneSend) {  // in a ring of four or of two; 10 samples each
  const auto all = steps_of(fedavg(4, 1));
  EXPECT_DOUBLE_EQ(all[0].sent->count, 24e6);
  EXPECT_EQ(all[0].samples, 40);
  const auto two = steps_of(fedavg(4, 0.5));
  EXPECT_DOUBLE_EQ(two[0].sent->count, 16e6);
  EXPECT_EQ(two[0].workers, 2U);
  EXPECT_EQ(two[0].samples, 20);
}

TEST(DrawnWorkers, DoNotWaitForThoseWhoRest) {  // one of four computes ten times as long
  scenario::Scenario scenario = fedavg(4, 0.25, 40);
  scenario.cluster.speeds = {1, 1, 1, 0.1};
  int slow = 0;
  for (const auto& step : steps_of(scenario)) slow += step.duration.count > 2 * kComputing ? 1 : 0;
  EXPECT_NEAR(slow, 10, 7);  // rounds in which it was drawn
}

TEST(DrawnWorkers, AreDrawnFromTheSeedWithEqualProbability) {  // ceil(0.3 x 8) = 3 of 8
  const std::vector<std::uint32_t> all{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(drawn_members(all, 0.3, 1, 0).size(), 3U);
  EXPECT_EQ(drawn_members(all, 0.3, 1, 0), drawn_members(all, 0.3, 1, 0));
  std::map<std::uint32_t, int> drawn;
  for (std::int64_t round = 0; round < 400; ++round) {
    for (const std::uint32_t worker : drawn_members(all, 0.3, 7, round)) ++drawn[worker];
  }
  for (const std::uint32_t worker : all) EXPECT_NEAR(drawn[worker], 150, 40) << worker;
}

TEST(DrawnWorkers, StayTheSameThroughARound) {  // of four steps
  scenario::Scenario scenario = fedavg(4, 0.25, 40);
  scenario.exchange.synchronisation =
      policies::synchronisation("fedavg", policies::FedAvg::Settings{0.25, 4 * 9.9e-6 * 4});
  scenario.cluster.speeds = {1, 1, 1, 0.1};
  const auto steps = steps_of(scenario);
  for (std::size_t first = 0; first + 4 <= steps.size(); first += 4) {
    const bool slow = steps[first].duration.count > 2 * kComputing;
    for (std::size_t i = 1; i < 4; ++i)
      EXPECT_EQ(steps[first + i].duration.count > 2 * kComputing, slow) << first + i;
  }
}

TEST(DrawnWorkers, ALossOfOneThatRestsIsSaidAndMayEndTheTraining) {
  scenario::Scenario scenario = fedavg(4, 0.25, 20);
  scenario.cluster.failures = {{0, {}, 0.02_s, {}}, {1, {}, 0.05_s, {}}, {2, {}, 0.08_s, {}}};
  const ArmResult goes_on = result_of(scenario);
  EXPECT_EQ(goes_on.events.size(), 3U);
  EXPECT_EQ(goes_on.whole.steps, 20);
  scenario.cluster.on_failure = scenario::OnFailure::stop;
  const ArmResult stops = result_of(scenario);
  EXPECT_EQ(stops.ending, Ending::stopped_by_failure);
  EXPECT_EQ(stops.whole.steps, 0);
}

TEST(DrawnWorkers, OthersAreDrawnWhereAllOfARoundAreLost) {
  scenario::Scenario scenario = fedavg(3, 0.3, 20);
  scenario.cluster.failures = {{0, {}, 0.2_s, {}}, {1, {}, 0.5_s, {}}};
  const auto steps = steps_of(scenario);
  EXPECT_EQ(steps.size(), 20U);
  for (const auto& step : steps) EXPECT_EQ(step.workers, 1U);
}

TEST(DrawnWorkers, OneAloneExchangesNothing) {
  const auto steps = steps_of(fedavg(4, 0.25));
  EXPECT_NEAR(steps[0].duration.count, kComputing, kTiny);
  EXPECT_EQ(steps[0].sent->count, 0);
}

TEST(DrawnWorkers, WaitForSlowLinksOfTheirOwnOnly) {  // 16 MB at 10 MB/s where the last worker was drawn
  scenario::Scenario scenario = fedavg(4, 0.5, 20);
  scenario.cluster.worker_links = {{{3}, {{}, {10e6}}, {}}};
  int slow = 0;
  const auto steps = steps_of(scenario);
  for (const auto& step : steps) {
    const bool waited = step.duration.count > 1;
    EXPECT_NEAR(step.duration.count, kComputing + (waited ? 1.6 : 0.16), kTiny);
    slow += waited ? 1 : 0;
  }
  EXPECT_GT(slow, 0);
  EXPECT_LT(slow, 20);
}

TEST(DrawnWorkers, AreOfThoseWhoArePresent) {  // the last one, with the slow link, is away from 2 s to 6 s
  scenario::Scenario scenario = fedavg(4, 0.5, 40);
  scenario.cluster.worker_links = {{{3}, {{}, {10e6}}, {}}};
  scenario.cluster.absences = {{3, 2_s, 6_s}};
  int slow_after = 0;
  double now = 0;
  for (const auto& step : steps_of(scenario)) {
    EXPECT_EQ(step.workers, 2U);  // of four or of three
    const bool waited = step.duration.count > 1;
    EXPECT_FALSE(waited && now > 2 && now < 6) << now;
    slow_after += waited && now >= 6 ? 1 : 0;
    now += step.duration.count;
  }
  EXPECT_GT(slow_after, 0);
}

TEST(DrawnWorkers, CostTheSameBySimGrid) {
  scenario::Scenario scenario = fedavg(4, 0.5);
  scenario.simulation.evaluator = scenario::Evaluator::simgrid;
  EXPECT_NEAR(steps_of(scenario)[0].duration.count, kComputing + 0.16, 1e-6);
}

TEST(DrawnWorkers, CompressTheirChangesAndSendThemToEachOther) {  // an eighth of 16 MB in pairs, all-gathered
  scenario::Scenario scenario = fedavg(4, 0.75);
  scenario.exchange.collective = "ring_allgather";
  scenario.exchange.compression =
      sent_as("topk", 0.125, 0.01_s);  // half a million pairs of 8 bytes to two others
  EXPECT_NEAR(steps_of(scenario)[0].duration.count, kComputing + 0.01 + 0.08, kTiny);
}

TEST(DrawnWorkers, AreChargedWhoeverWasDrawnBefore) {  // rounds of the same seed, one after another
  const auto steps = steps_of(fedavg(8, 0.25, 30));
  for (const auto& step : steps) {
    EXPECT_NEAR(step.duration.count, kComputing + 0.16, kTiny);
    EXPECT_DOUBLE_EQ(step.sent->count, 16e6);
  }
}

}  // namespace
}  // namespace sim::engine
