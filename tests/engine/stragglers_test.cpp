// Factors on compute time: relative speeds, slow-downs in time, and jitter.
#include "sim/engine/stragglers.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

scenario::Scenario three() { return plain(3, 1_ms, 1_Gbps, 10); }

SlowFactors at(const scenario::Scenario& scenario, std::int64_t step, netmodels::Seconds now,
               const std::vector<std::uint32_t>& workers = {0, 1, 2}) {
  SlowFactors factors;
  Stragglers(scenario.work, scenario.cluster, *scenario.stated, scenario.simulation.seed)
      .factors(step, now, workers, factors);
  return factors;
}

TEST(Stragglers, WithoutAnyEveryFactorIsOne) {
  const SlowFactors factors = at(three(), 0, {});
  EXPECT_EQ(factors.of_worker, (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(factors.slowest, 1);
  EXPECT_EQ(factors.mean, 1);
}

TEST(Stragglers, HalfTheSpeedIsTwiceTheTime) {
  scenario::Scenario scenario = three();
  scenario.cluster.speeds = {1, 0.5, 2};
  const SlowFactors factors = at(scenario, 0, {});
  EXPECT_EQ(factors.of_worker, (std::vector<double>{1, 2, 0.5}));
  EXPECT_EQ(factors.slowest, 2);
  EXPECT_NEAR(factors.mean, 3.5 / 3, 1e-15);
}

TEST(Stragglers, ASlowDownHoldsFromItsBeginningToBeforeItsEnd) {
  scenario::Scenario scenario = three();
  scenario.work.compute.slowdowns = {{1, 2_s, 5_s, 3}};
  EXPECT_EQ(at(scenario, 0, {1.999}).slowest, 1);
  EXPECT_EQ(at(scenario, 0, 2_s).of_worker, (std::vector<double>{1, 3, 1}));
  EXPECT_EQ(at(scenario, 0, {4.999}).slowest, 3);
  EXPECT_EQ(at(scenario, 0, 5_s).slowest, 1);
}

TEST(Stragglers, ASlowDownWithoutEndLastsAndMultipliesWithOthers) {
  scenario::Scenario scenario = three();
  scenario.cluster.speeds = {1, 1, 0.5};
  scenario.work.compute.slowdowns = {{2, 2_s, std::nullopt, 3}, {2, 4_s, std::nullopt, 1.5}};
  EXPECT_EQ(at(scenario, 0, {1e9}).slowest, 9);
}

TEST(Stragglers, SpeedsChangeWhenTheirMomentHasComeAndTheLastOneHolds) {
  scenario::Scenario scenario = three();
  scenario.cluster.speed_changes = {{{scenario::Moment::Unit::epoch, 1}, {1, 0.5, 1}, {}},
                                    {{scenario::Moment::Unit::step, 50}, {0.25, 1, 1}, {}}};
  Stragglers stragglers(scenario.work, scenario.cluster, *scenario.stated, scenario.simulation.seed);
  SlowFactors factors;
  const auto slow_at = [&](std::int64_t step, double epoch) {
    stragglers.arrive({}, step, epoch);
    stragglers.nominal({0, 1, 2}, factors);
    return factors.of_worker;
  };
  EXPECT_EQ(slow_at(0, 0), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(slow_at(10, 1), (std::vector<double>{1, 2, 1}));
  EXPECT_EQ(slow_at(50, 1.5), (std::vector<double>{4, 1, 1}));
}

// Ten samples take 121 ms, twenty 241 ms, five 61 ms.
TEST(Stragglers, TimesFollowBatchesThatAreSetLater) {
  const scenario::Scenario scenario = three();
  Stragglers stragglers(scenario.work, scenario.cluster, *scenario.stated, scenario.simulation.seed);
  stragglers.set_batches({10, 20, 5});
  SlowFactors factors;
  stragglers.nominal({0, 1, 2}, factors);
  EXPECT_NEAR(factors.of_worker[1], 241.0 / 121, 1e-12);
  EXPECT_NEAR(factors.of_worker[2], 61.0 / 121, 1e-12);
}

TEST(Stragglers, WhoIsLostSlowsNobodyDown) {
  scenario::Scenario scenario = three();
  scenario.cluster.speeds = {1, 0.25, 0.5};
  const SlowFactors factors = at(scenario, 0, {}, {0, 2});
  EXPECT_EQ(factors.of_worker, (std::vector<double>{1, 2}));
  EXPECT_EQ(factors.slowest, 2);
}

TEST(Stragglers, LogNormalJitterHasMeanOneAndTheStatedSpread) {  // 10000 factors, sigma 0.2
  scenario::Scenario scenario = three();
  scenario.work.compute.jitter = {scenario::JitterKind::lognormal, 0.2, 0};
  double sum = 0;
  double squares = 0;
  constexpr int kSteps = 10000;
  for (int step = 0; step < kSteps; ++step) {
    const double factor = at(scenario, step, {}, {0}).slowest;
    sum += factor;
    squares += std::pow(std::log(factor) + 0.02, 2);
  }
  EXPECT_NEAR(sum / kSteps, 1, 4 * 0.2 / 100);
  EXPECT_NEAR(std::sqrt(squares / kSteps), 0.2, 0.01);
}

TEST(Stragglers, ExponentialJitterAddsItsScaleInTheMeanAndNeverTakesTimeAway) {
  scenario::Scenario scenario = three();
  scenario.work.compute.jitter = {scenario::JitterKind::exponential, 0, 0.3};
  double sum = 0;
  constexpr int kSteps = 10000;
  for (int step = 0; step < kSteps; ++step) {
    const double factor = at(scenario, step, {}, {0}).slowest;
    EXPECT_GE(factor, 1);
    sum += factor;
  }
  EXPECT_NEAR(sum / kSteps, 1.3, 4 * 0.3 / 100);
}

TEST(Stragglers, JitterOfAWorkerDoesNotDependOnWhoElseIsThere) {
  scenario::Scenario scenario = three();
  scenario.work.compute.jitter = {scenario::JitterKind::lognormal, 0.2, 0};
  EXPECT_EQ(at(scenario, 7, {}, {0, 1, 2}).of_worker[2], at(scenario, 7, {}, {2}).of_worker[0]);
}

TEST(Stragglers, JitterDiffersByStepWorkerAndSeed) {
  scenario::Scenario scenario = three();
  scenario.work.compute.jitter = {scenario::JitterKind::lognormal, 0.2, 0};
  const double one = at(scenario, 7, {}).of_worker[0];
  EXPECT_NE(at(scenario, 8, {}).of_worker[0], one);
  EXPECT_NE(at(scenario, 7, {}).of_worker[1], one);
  scenario.simulation.seed = 2;
  EXPECT_NE(at(scenario, 7, {}).of_worker[0], one);
}

TEST(Stragglers, NominalFactorsKnowSpeedsOnly) {
  scenario::Scenario scenario = three();
  scenario.cluster.speeds = {1, 0.5, 1};
  scenario.work.compute.jitter = {scenario::JitterKind::lognormal, 0.2, 0};
  scenario.work.compute.slowdowns = {{0, {}, std::nullopt, 9}};
  SlowFactors factors;
  Stragglers(scenario.work, scenario.cluster, *scenario.stated, scenario.simulation.seed)
      .nominal({0, 1, 2}, factors);
  EXPECT_EQ(factors.of_worker, (std::vector<double>{1, 2, 1}));
}

/// Four GPUs of two replicas: 0 and 1 are a tensor group, 2 and 3 the other; a quarter of a step is exchanged
/// inside a replica.
/// @param speeds  of each GPU; empty: all 1
scenario::Scenario two_replicas(const std::vector<double>& speeds = {}) {
  scenario::Scenario scenario = plain(4, 1_ms, 1_Gbps, 10);
  scenario.work.parallelism.tensor = 2;
  scenario::Stated stated{.cluster = scenario.cluster};
  stated.cluster->speeds = speeds;
  scenario.stated = std::make_shared<const scenario::Stated>(std::move(stated));
  scenario.cluster.workers = 2;
  const netmodels::Seconds whole = scenario.work.workload.compute(scenario.work.training.batch);
  scenario.work.workload.replica =
      netmodels::ReplicaShare{.devices = 2, .parameters = 1, .exchanges = {whole * 0.25, {}}, .bubble = {}};
  return scenario;
}

TEST(Stragglers, ASlowGpuSlowsTheComputingOfItsReplica) {
  for (int gpu = 0; gpu < 4; ++gpu) {
    scenario::Scenario scenario = two_replicas();
    scenario.work.compute.slowdowns = {{.worker = gpu, .at = {}, .until = {}, .factor = 5}};
    const SlowFactors factors = at(scenario, 0, {}, {0, 1});
    EXPECT_DOUBLE_EQ(factors.of_worker[static_cast<std::size_t>(gpu) / 2], 0.75 * 5 + 0.25) << gpu;
    EXPECT_DOUBLE_EQ(factors.of_worker[1 - static_cast<std::size_t>(gpu) / 2], 1) << gpu;
  }
}

TEST(Stragglers, SpeedsAndSlowDownsMeetOnTheirGpu) {
  scenario::Scenario scenario = two_replicas({0.5, 1, 1, 1});
  scenario.cluster.speeds = {1 / (0.75 / 0.5 + 0.25), 1};
  scenario.work.compute.slowdowns = {{.worker = 1, .at = {}, .until = {}, .factor = 1.5}};
  EXPECT_DOUBLE_EQ(at(scenario, 0, {}, {0, 1}).of_worker[0], 0.75 * 2 + 0.25);  // GPU 0 is slower still
  scenario.work.compute.slowdowns[0].worker = 0;
  EXPECT_DOUBLE_EQ(at(scenario, 0, {}, {0, 1}).of_worker[0], 0.75 * 3 + 0.25);
}

TEST(Stragglers, JitterIsDrawnForEachGpuOfAReplica) {
  scenario::Scenario scenario = two_replicas();
  scenario.work.compute.jitter.kind = scenario::JitterKind::exponential;
  scenario.work.compute.jitter.scale = 0.4;
  double sum = 0;
  constexpr int steps = 20000;
  for (int step = 0; step < steps; ++step) sum += at(scenario, step, {}, {0}).of_worker[0];
  EXPECT_NEAR(sum / steps, 0.75 * (1 + 0.4 * 1.5) + 0.25, 0.01);  // the larger of two: scale x (1 + 1/2)
}

}  // namespace
}  // namespace sim::engine
