// Tests of clocks that meet only where workers exchange: sums by hand.
#include "sim/engine/worker_clocks.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "netmodels/unit.hpp"
#include "policies/local_steps.hpp"
#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

SlowFactors factors_of(std::vector<double> of_worker) {
  const double slowest = std::ranges::max(of_worker);
  double sum = 0;
  for (const double one : of_worker) sum += one;
  return {slowest, sum / static_cast<double>(of_worker.size()), std::move(of_worker)};
}

// 2 s and 1 s, then 1 s and 2 s: both are at 3 s after two steps, the first of which took 2 s.
TEST(WorkerClocks, AStepTakesWhatTheLastClockGoesOnBy) {
  WorkerClocks clocks;
  SlowFactors first = factors_of({2, 1});
  clocks.run({0, 1}, 1_s, {}, first);
  EXPECT_DOUBLE_EQ(first.slowest, 2);
  SlowFactors second = factors_of({1, 2});
  clocks.run({0, 1}, 1_s, {}, second);
  EXPECT_DOUBLE_EQ(second.slowest, 1);
  EXPECT_DOUBLE_EQ(second.mean, 1);  // nobody waits
}

TEST(WorkerClocks, WhoMetHasNoLeadLeft) {
  WorkerClocks clocks;
  SlowFactors first = factors_of({2, 1});
  clocks.run({0, 1}, 1_s, {}, first);
  clocks.meet();
  EXPECT_TRUE(clocks.together());
  SlowFactors second = factors_of({1, 2});
  clocks.run({0, 1}, 1_s, {}, second);
  EXPECT_DOUBLE_EQ(second.slowest, 2);
}

TEST(WorkerClocks, AlwaysTheSameWorkerIsSlowest) {
  WorkerClocks clocks;
  for (int step = 0; step < 5; ++step) {
    SlowFactors factors = factors_of({1, 1.7, 1});
    clocks.run({0, 1, 2}, 0.3_s, {}, factors);
    EXPECT_EQ(factors.slowest, 1.7);
  }
}

// Worker 1 is 1 s ahead; something arrived 0.4 s before the last clock, which it waited for.
TEST(WorkerClocks, WaitingTakesALeadAway) {
  WorkerClocks clocks;
  SlowFactors first = factors_of({2, 1});
  clocks.run({0, 1}, 1_s, {}, first);
  clocks.wait_for(0.4_s);
  SlowFactors second = factors_of({1, 2});
  clocks.run({0, 1}, 1_s, {}, second);
  EXPECT_DOUBLE_EQ(second.slowest, 1.6);
}

// Worker 1 is 1 s ahead, and its samples arrive 1.5 s after worker 0's clock: it ends at 2.5, worker 0 at 1.
TEST(WorkerClocks, NobodyBeginsBeforeItsSamplesArrive) {
  WorkerClocks clocks;
  SlowFactors first = factors_of({2, 1});
  clocks.run({0, 1}, 1_s, {}, first);
  SlowFactors second = factors_of({1, 1});
  EXPECT_DOUBLE_EQ(clocks.run({0, 1}, 1_s, {0_s, 1.5_s}, second).count, 1.5);
  EXPECT_DOUBLE_EQ(second.slowest, 1);
}

// Workers 3 and 4 are 10 s and 12 s ahead of one that leaves: then worker 4 is 2 s ahead.
TEST(WorkerClocks, WhoLeftIsNotWaitedFor) {
  WorkerClocks clocks;
  SlowFactors first = factors_of({13, 3, 1});
  clocks.run({1, 3, 4}, 1_s, {}, first);
  clocks.remain({3, 4});
  SlowFactors second = factors_of({1, 4});
  clocks.run({3, 4}, 1_s, {}, second);
  EXPECT_DOUBLE_EQ(second.slowest, 2);
  clocks.remain({});
  EXPECT_TRUE(clocks.together());
}

/// Four workers that jitter and average models, which takes no time, after every `every`-th of 12 steps of
/// 121 ms.
scenario::Scenario jittering(std::int64_t every) {
  scenario::Scenario scenario = plain(4, {}, netmodels::Bandwidth{1e18}, 12);
  scenario.work.compute.jitter = {scenario::JitterKind::lognormal, 0.5, 0};
  scenario.exchange.synchronisation =
      policies::synchronisation("periodic", policies::Periodic::Settings{.every = every});
  return scenario;
}

/// For each round the largest sum of a worker's factors.
double rounds_of_slowest(const scenario::Scenario& scenario, std::int64_t every) {
  const Stragglers stragglers(scenario.work, scenario.cluster, *scenario.stated, scenario.simulation.seed);
  double total = 0;
  for (std::int64_t first = 0; first < 12; first += every) {
    std::vector<double> sums(4);
    for (std::int64_t step = first; step < first + every; ++step) {
      SlowFactors factors;
      stragglers.factors(step, {}, everyone(4), factors);
      for (std::size_t worker = 0; worker < 4; ++worker) sums[worker] += factors.of_worker[worker];
    }
    total += std::ranges::max(sums);
  }
  return total;
}

TEST(WorkerClocks, ALocalRoundTakesWhatItsSlowestWorkerTakesInAll) {
  for (const std::int64_t every : {1, 4, 12}) {
    const scenario::Scenario scenario = jittering(every);
    EXPECT_NEAR(result_of(scenario).time.count, 0.121 * rounds_of_slowest(scenario, every), 1e-9) << every;
  }
  EXPECT_LT(result_of(jittering(12)).time, 0.85 * result_of(jittering(1)).time);
}

// Worker 3 computes nine times as long as the others and is lost in the fifth step.
TEST(WorkerClocks, TimeGoesOnAfterTheSlowestWorkerIsLost) {
  scenario::Scenario scenario = jittering(12);
  scenario.cluster.speeds = {1, 1, 1, 1.0 / 9};
  scenario.cluster.failures = {{3, std::nullopt, 5_s, std::nullopt}};
  const std::vector<StepRecord> steps = steps_of(scenario);
  EXPECT_EQ(steps.front().workers, 4U);
  EXPECT_EQ(steps.back().workers, 3U);
  for (const StepRecord& step : steps) EXPECT_GT(step.duration.count, 0);
}

TEST(WorkerClocks, PartsOfLocalStepsAddUpWithoutNegativeWaits) {
  for (const StepRecord& step : steps_of(jittering(4))) {
    EXPECT_GE(step.parts.wait.count, 0);
    EXPECT_NEAR(step.parts.total().count, step.duration.count, kTiny);
  }
}

}  // namespace
}  // namespace sim::engine
