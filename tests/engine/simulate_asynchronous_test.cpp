// Whole trainings with a parameter server: rounds of gradients by hand, changes, and how a run ends.
#include "sim/engine/simulate_asynchronous.hpp"

#include <atomic>

#include <gtest/gtest.h>

#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

TEST(PlayAsynchronously, IsForWorkersThatDoNotWaitForAllOthers) {
  for (const char* method : {"bsp", "periodic", "selsync"})
    EXPECT_FALSE(is_asynchronous(*policies::find_synchronisation(method))) << method;
  for (const char* method : {"ssp", "asp"})
    EXPECT_TRUE(is_asynchronous(*policies::find_synchronisation(method))) << method;
}

TEST(PlayAsynchronously, ARoundHoldsAsManyGradientsAsThereAreWorkers) {  // 121 and 242 ms; 363 and 441 ms
  scenario::Scenario scenario = plain(2, {}, kSlow, 2);
  scenario.exchange.synchronisation =
      policies::synchronisation("asp", policies::Asynchronous{.server = policies::ServerHost::first_worker});
  const auto steps = steps_of(scenario);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_NEAR(steps[0].duration.count, 0.242, kTiny);
  EXPECT_EQ(steps[0].sent, netmodels::Bytes{});
  EXPECT_EQ(steps[0].staleness, 0);
  EXPECT_NEAR(steps[1].start.count, 0.242, kTiny);
  EXPECT_NEAR(steps[1].duration.count, 0.199, kTiny);
  EXPECT_EQ(steps[1].sent, 16_MB);
  EXPECT_EQ(steps[1].staleness, 3);
  EXPECT_EQ(steps[1].collective, "push and pull");
}

// Both workers pull the first parameters, so that their gradients are those of a synchronous step.
TEST(PlayAsynchronously, LossAndSquaredNormOfARoundAreMeansOverItsGradients) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 1);
  scenario.learner.kind = learning::learners::live("mlp_32");
  const StepRecord together = steps_of(scenario).at(0);
  scenario.exchange.synchronisation = policies::synchronisation("asp", policies::Asynchronous{});
  const StepRecord apart = steps_of(scenario).at(0);
  EXPECT_NEAR(*apart.learning->loss, *together.learning->loss, 1e-6);
  EXPECT_NEAR(apart.learning->squared_norm / together.learning->squared_norm, 1, 1e-6);
}

TEST(PlayAsynchronously, PartsOfARoundAddUpToItsTime) {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 20);
  scenario.exchange.synchronisation =
      policies::synchronisation("ssp", policies::StaleSynchronous{.staleness = 1});
  scenario.cluster.speeds = {1, 0.5, 0.8, 1};
  for (const StepRecord& step : steps_of(scenario))
    EXPECT_NEAR(step.parts.total().count, step.duration.count, kTiny) << step.step;
}

TEST(PlayAsynchronously,
     BytesOfAllRoundsAreThoseOfAllPushes) {  // 6 pushes of 2 workers, each 16 MB here and back
  scenario::Scenario scenario = plain(2, {}, kSlow, 3);
  scenario.exchange.synchronisation = policies::synchronisation("ssp", policies::StaleSynchronous{});
  EXPECT_EQ(result_of(scenario).whole.sent_by_all, 192_MB);
}

// Rounds of a pull, 121 ms and a push: 160 ms each way at 100 MB/s, 320 ms from step 2 on.
TEST(PlayAsynchronously, AChangeAtAStepBeginsWithItsRound) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 4);
  scenario.exchange.synchronisation = policies::synchronisation(
      "ssp", policies::StaleSynchronous{.server = policies::ServerHost::first_worker});
  scenario.cluster.changes = {
      {{scenario::Moment::Unit::step, 2}, netmodels::Bandwidth{50e6}, std::nullopt, {}, {}}};
  const ArmResult result = result_of(scenario);
  ASSERT_EQ(result.phases.size(), 2U);
  EXPECT_EQ(result.phases[0].label, "from the start: 800 Mbit/s, 0 s");
  EXPECT_EQ(result.phases[1].label, "from step 2: 400 Mbit/s, 0 s");
  EXPECT_NEAR(result.phases[0].step_time().count, 0.441, kTiny);
  EXPECT_NEAR(result.phases[1].step_time().count, 0.761, kTiny);
}

TEST(PlayAsynchronously, AStopKeepsWhatIsFinished) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 1000);
  scenario.exchange.synchronisation = policies::synchronisation("asp", policies::Asynchronous{});
  std::atomic<bool> stop{false};
  Listeners listeners;
  listeners.stop = &stop;
  listeners.step = [&](const StepRecord& step) { stop = step.step == 4; };
  const auto result = played(scenario, listeners);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->ending, Ending::interrupted);
  EXPECT_EQ(result->whole.steps, 5);
}

TEST(PlayAsynchronously, ExplainHasNoStepToShow) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 2);
  scenario.exchange.synchronisation = policies::synchronisation("asp", policies::Asynchronous{});
  ClusterCache clusters;
  EXPECT_EQ(explain(scenario, clusters).error().text(),
            "synchronisation: workers that do not wait for each other have no common step; explain a "
            "scenario with `synchronisation: bsp`, or run this one");
}

}  // namespace
}  // namespace sim::engine
