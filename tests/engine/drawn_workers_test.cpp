// FedAvg with some of the workers: what the exchange of those who were drawn costs, by hand.
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
  scenario.synchronisation =
      policies::synchronisation("fedavg", policies::FedAvg::Settings{participants, 9e-6 * workers});
  return scenario;
}

TEST(DrawnWorkers, ExchangeAmongThemselves) {  // a ring: each of p sends 2 (p - 1) / p of 16 MB
  EXPECT_NEAR(steps_of(fedavg(4, 1))[0].duration.count, kComputing + 0.24, kTiny);
  EXPECT_NEAR(steps_of(fedavg(4, 0.75))[0].duration.count, kComputing + 0.32 * 2 / 3, kTiny);
  EXPECT_NEAR(steps_of(fedavg(4, 0.5))[0].duration.count, kComputing + 0.16, kTiny);
}

TEST(DrawnWorkers, AloneSend) {  // the mean of four, two of which send 16 MB each
  EXPECT_DOUBLE_EQ(steps_of(fedavg(4, 1))[0].sent->count, 24e6);
  EXPECT_DOUBLE_EQ(steps_of(fedavg(4, 0.5))[0].sent->count, 8e6);
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

TEST(DrawnWorkers, CostTheSameBySimGrid) {
  scenario::Scenario scenario = fedavg(4, 0.5);
  scenario.evaluator = scenario::Evaluator::simgrid;
  EXPECT_NEAR(steps_of(scenario)[0].duration.count, kComputing + 0.16, 1e-6);
}

TEST(DrawnWorkers, CompressTheirChangesAndSendThemToEachOther) {  // an eighth of 16 MB in pairs, all-gathered
  scenario::Scenario scenario = fedavg(4, 0.75);
  scenario.exchange.collective = "ring_allgather";
  scenario.compression = sent_as("topk", 0.125, 0.01_s);  // half a million pairs of 8 bytes to two others
  EXPECT_NEAR(steps_of(scenario)[0].duration.count, kComputing + 0.01 + 0.08, kTiny);
}

TEST(DrawnWorkers, AreChargedWhoeverWasDrawnBefore) {  // rounds of the same seed, one after another
  const auto steps = steps_of(fedavg(8, 0.25, 30));
  for (const auto& step : steps) {
    EXPECT_NEAR(step.duration.count, kComputing + 0.16, kTiny);
    EXPECT_DOUBLE_EQ(step.sent->count, 4e6);
  }
}

}  // namespace
}  // namespace sim::engine
