// Workers that leave and return: by schedule by hand, by rate in equilibrium, and in a run step by step.
#include "sim/engine/membership.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "policies/local_steps.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/reason_text.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

Membership membership_of(const scenario::Scenario& scenario) {
  return {scenario.cluster, workers_of_site(scenario.work.parallelism, scenario.cluster),
          scenario.simulation.seed};
}

TEST(Membership, AnAbsenceIsFromWhenTheWorkerLeavesUntilItReturns) {
  scenario::Scenario scenario = plain(3, 1_ms, 1_Gbps, 1);
  scenario.cluster.absences = {{1, 7_s, {}}, {1, 2_s, 5_s}};
  Membership membership = membership_of(scenario);
  EXPECT_FALSE(membership.is_away(1, {1.9}));
  EXPECT_TRUE(membership.is_away(1, 2_s));
  EXPECT_FALSE(membership.is_away(0, 2_s));
  EXPECT_EQ(membership.next_return({0, 1}), 5_s);
  EXPECT_FALSE(membership.is_away(1, 5_s));
  EXPECT_EQ(membership.present_since(1), 5_s);
  EXPECT_EQ(membership.next_return({0, 1}), std::nullopt);
  EXPECT_TRUE(membership.is_away(1, 100_s));
  EXPECT_EQ(membership.next_return({1}), std::nullopt);
}

TEST(Membership, WithoutAbsencesNobodyLeaves) {
  Membership membership = membership_of(plain(1, 1_ms, 1_Gbps, 1));
  EXPECT_FALSE(membership.changes());
  EXPECT_FALSE(membership.is_away(0, {1e9}));
}

TEST(Membership, UnderChurnAShareOfStayOverStayAndAwayTakesPart) {  // 3 / (3 + 1), 4000 workers: sd 0.7 %
  scenario::Scenario scenario = plain(4000, 1_ms, 1_Gbps, 1);
  scenario.cluster.churn = scenario::Churn{3_s, 1_s, {}};
  Membership membership = membership_of(scenario);
  const auto present = [&](netmodels::Seconds now) {
    int count = 0;
    for (std::uint32_t worker = 0; worker < 4000; ++worker) count += membership.is_away(worker, now) ? 0 : 1;
    return count / 4000.0;
  };
  EXPECT_EQ(present({}), 1);
  EXPECT_NEAR(present({0.3}), 0.75 + 0.25 * std::exp(-4 * 0.1), 0.025);  // towards it by exp(-t (1/3 + 1))
  EXPECT_NEAR(present(50_s), 0.75, 0.025);
}

TEST(Membership, WhereNoneIsNamedAllChurn) {
  scenario::Scenario scenario = plain(3, 1_ms, 1_Gbps, 1);
  scenario.cluster.churn = scenario::Churn{1_s, {1e6}, {}};
  Membership membership = membership_of(scenario);
  for (std::uint32_t worker = 0; worker < 3; ++worker)
    EXPECT_TRUE(membership.is_away(worker, 100_s)) << worker;
}

TEST(Membership, OnlyThoseNamedChurn) {
  scenario::Scenario scenario = plain(2, 1_ms, 1_Gbps, 1);
  scenario.cluster.churn = scenario::Churn{1_s, 1000_s, {1}};
  scenario.simulation.seed = 3;
  Membership membership = membership_of(scenario);
  EXPECT_FALSE(membership.is_away(0, 100_s));
  EXPECT_TRUE(membership.is_away(1, 100_s));
}

TEST(Membership, WhereNodesAreSitesOneLeavesWithAnyOfItsWorkers) {
  scenario::Scenario scenario = plain(6, 1_ms, 1_Gbps, 1);
  scenario.cluster.workers_per_node = 2;
  scenario.work.parallelism.site = scenario::SiteKind::node;
  scenario.cluster.absences = {{3, 1_s, 2_s}, {2, 4_s, 5_s}};
  scenario.cluster.churn = scenario::Churn{1_s, 1000_s, {5}};
  Membership membership = membership_of(scenario);
  EXPECT_TRUE(membership.is_away(1, {1.5}));
  EXPECT_EQ(membership.next_return({0, 1}), 2_s);
  EXPECT_FALSE(membership.is_away(1, 3_s));
  EXPECT_EQ(membership.present_since(1), 2_s);
  EXPECT_TRUE(membership.is_away(1, {4.5}));
  EXPECT_FALSE(membership.is_away(0, 100_s));
  EXPECT_TRUE(membership.is_away(2, 100_s));
}

// In a run of three workers: a step takes 121 ms and 4 messages of 16/3 MB.

constexpr double kOfThree = 0.121 + 4 * 0.16 / 3;
constexpr double kOfTwo = 0.121 + 2 * 0.08;

scenario::Absence away(int worker, double from, std::optional<double> until = {}) {
  scenario::Absence absence{worker, {from}, {}};
  if (until) absence.until = netmodels::Seconds{*until};
  return absence;
}

scenario::Scenario leaving(std::vector<scenario::Absence> absences, std::int64_t steps) {
  scenario::Scenario scenario = plain(3, {}, kSlow, steps);
  scenario.cluster.absences = std::move(absences);
  return scenario;
}

TEST(Absences, WhoLeavesEndsTheStepUnderWay) {
  const ArmResult result = result_of(leaving({away(1, 0.2)}, 4));
  EXPECT_NEAR(result.time.count, kOfThree + 3 * kOfTwo, kTiny);
  EXPECT_EQ(result.outside_steps.count, 0);
  ASSERT_EQ(result.events.size(), 1U);
  EXPECT_EQ(report::reason_text(result.events[0].what), "worker 1 left: 2 continue");
}

TEST(Absences, WhoReturnsDownloadsTheModelBesideTheTraining) {  // 4 million values of 12 bytes: 480 ms
  const auto steps = steps_of(leaving({away(1, 0.2, 0.4)}, 4));
  std::vector<std::uint32_t> workers;
  for (const StepRecord& step : steps) workers.push_back(step.workers);
  EXPECT_EQ(workers, (std::vector<std::uint32_t>{3, 2, 2, 3}));  // the fourth begins at 896 ms, after 880
  EXPECT_NEAR(steps[3].start.count, kOfThree + 2 * kOfTwo, kTiny);
  EXPECT_NEAR(steps[3].duration.count, kOfThree, kTiny);
}

TEST(Absences, WithLocalStepsWhoReturnsWaitsForTheExchange) {  // steps 0.121, exchange after the 6th
  scenario::Scenario scenario = leaving({away(1, 0.1, 0.13)}, 7);
  scenario.exchange.synchronisation =
      policies::synchronisation("periodic", policies::Periodic::Settings{6, policies::Averaged::parameters});
  const auto steps = steps_of(scenario);
  std::vector<std::uint32_t> workers;
  for (const StepRecord& step : steps) workers.push_back(step.workers);
  EXPECT_EQ(workers, (std::vector<std::uint32_t>{3, 2, 2, 2, 2, 2, 3}));
  EXPECT_NEAR(steps[5].duration.count, kOfTwo, kTiny);
}

TEST(Absences, WhereAllAreAwayTrainingWaitsForTheFirstToReturn) {
  const ArmResult result = result_of(leaving({away(0, 0.1, 9), away(1, 0.1, 4), away(2, 0.1)}, 2));
  EXPECT_NEAR(result.time.count, 4.121, kTiny);
  EXPECT_NEAR(result.outside_steps.count, 4 - kOfThree, kTiny);
  EXPECT_EQ(report::reason_text(result.events.at(0).what), "workers 0, 1, 2 left: 0 continue");
  EXPECT_EQ(report::reason_text(result.events.at(1).what), "worker 1 returned: 1 continue");
}

TEST(Absences, WhereAllLeaveForGoodTrainingStops) {
  const ArmResult result = result_of(leaving({away(0, 0.1), away(1, 0.1), away(2, 0.1)}, 2));
  EXPECT_EQ(result.ending, Ending::stopped_by_failure);
  EXPECT_EQ(report::reason_text(result.events.at(1).what), "no workers left: training stops");
  EXPECT_EQ(result.whole.steps, 1);
}

TEST(Absences, WhoFailsWhileItIsAwayDoesNotReturn) {
  scenario::Scenario scenario = leaving({away(1, 0.1, 0.7)}, 12);
  scenario.cluster.failures = {{1, std::nullopt, {0.5}, std::nullopt}};
  EXPECT_EQ(steps_of(scenario).back().workers, 2U);
}

}  // namespace
}  // namespace sim::engine
