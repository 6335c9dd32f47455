// The network state that steps record at their start.
#include <gtest/gtest.h>

#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

TEST(NetworkOfSteps, IsTheOneBetweenNeighboursAsTheStepBegins) {
  scenario::Scenario scenario = plain(4, 1_ms, {100e6}, 10);
  scenario.cluster.changes = {at_time(1_s, netmodels::Bandwidth{50e6}, 20_ms)};
  bool changed = false;
  for (const StepRecord& step : steps_of(scenario)) {
    ASSERT_TRUE(step.network.has_value());
    const bool later = step.start >= 1_s;
    EXPECT_DOUBLE_EQ(step.network->bandwidth.count, later ? 50e6 : 100e6) << step.step;
    EXPECT_DOUBLE_EQ(step.network->latency.count, later ? 0.02 : 0.001) << step.step;
    changed = changed || later;
  }
  EXPECT_TRUE(changed);
}

TEST(NetworkOfSteps, IsThatOfTheSlowestWorker) {
  scenario::Scenario scenario = plain(4, 1_ms, {100e6}, 2);
  scenario::LinkChange slow = at_time(0_s, netmodels::Bandwidth{10e6});
  slow.workers = {2};
  scenario.cluster.changes = {slow};
  EXPECT_DOUBLE_EQ(steps_of(scenario).front().network->bandwidth.count, 10e6);
}

TEST(NetworkOfSteps, OneWorkerHasNone) {
  EXPECT_FALSE(steps_of(plain(1, 1_ms, {100e6}, 2)).front().network.has_value());
}

TEST(NetworkOfSteps, IsThereAlsoWhereWorkersDoNotWait) {
  scenario::Scenario scenario = plain(4, 1_ms, {100e6}, 3);
  scenario.exchange.synchronisation = policies::synchronisation("asp", policies::Asynchronous{});
  for (const StepRecord& step : steps_of(scenario)) {
    ASSERT_TRUE(step.network.has_value());
    EXPECT_DOUBLE_EQ(step.network->bandwidth.count, 100e6);
  }
}

}  // namespace
}  // namespace sim::engine
