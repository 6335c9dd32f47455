// The controller by hand: one adjustment where time follows the batch, dead-bands, bounds, learned bounds.
#include "policies/dynamic_batch.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/policies/batching_job.hpp"

namespace policies {
namespace {

/// Each worker's time per sample in milliseconds, and a fixed time per step.
TimeOfBatch affine(std::vector<double> per_sample, double fixed = 0) {
  return [=](std::uint32_t worker, int samples) { return (fixed + per_sample[worker] * samples) * 1e-3; };
}

DynamicBatch::Settings every(std::int64_t steps) {
  DynamicBatch::Settings settings;
  settings.every = steps;
  return settings;
}

BatchingJob dynamic_job(const DynamicBatch::Settings& settings, std::vector<int> samples, TimeOfBatch time,
                        const BatchBounds& bounds = {}) {
  return {std::make_unique<DynamicBatch>(settings, bounds), std::move(samples), std::move(time)};
}

// Times 6, 2, 1 at 60 each: mean 3, so that b mean / t = 30, 90, 180, sum 300; scaled to 180: 18, 54, 108.
TEST(DynamicBatch, OneAdjustmentEqualisesWorkersWhoseTimeFollowsTheBatch) {
  BatchingJob run = dynamic_job(every(5), {60, 60, 60}, affine({6, 2, 1}));
  run.run(6);
  EXPECT_EQ(run.samples(), (std::vector<int>{18, 54, 108}));
  run.run(100);
  EXPECT_EQ(run.changes(), 1);
}

TEST(DynamicBatch, AWorkerWhoseTimeIsNotKnownLeavesAllAsTheyAre) {
  BatchingJob run = dynamic_job(every(5), {60, 60, 60}, affine({6, 2, 0}));
  run.run(30);
  EXPECT_EQ(run.changes(), 0);
}

// As printed, the sum of equal batches grows by the arithmetic over the harmonic mean of the times: 3 / 1.8.
TEST(DynamicBatch, AsPrintedTheGlobalBatchGrows) {
  auto settings = every(5);
  settings.normalise = false;
  BatchingJob run = dynamic_job(settings, {60, 60, 60}, affine({6, 2, 1}));
  run.run(6);
  EXPECT_EQ(run.samples(), (std::vector<int>{30, 90, 180}));
  EXPECT_NEAR(run.sum() / 180.0, 3 / 1.8, 1e-12);
}

// A fixed time that no batch shortens makes the gain too small; each adjustment still closes the gap.
TEST(DynamicBatch, AboutTwoAdjustmentsWhereAPartOfTheTimeIsFixed) {
  BatchingJob run = dynamic_job(every(5), {64, 64, 64}, affine({13.0 / 4, 13.0 / 11, 13.0 / 24}, 12));
  run.run(200);
  EXPECT_LE(run.changes(), 3);
  EXPECT_GE(run.changes(), 2);
  EXPECT_LE(run.spread(), 1.05 * 1.05);
  EXPECT_EQ(run.sum(), 192);
}

TEST(DynamicBatch, ChangesItsMindWhenAWorkerSlowsDown) {
  double first = 1;
  BatchingJob run = dynamic_job(every(5), {50, 50}, [&](std::uint32_t worker, int samples) {
    return (worker == 0 ? first : 1) * samples * 1e-3;
  });
  run.run(50);
  EXPECT_EQ(run.changes(), 0);
  first = 4;
  run.run(200);
  EXPECT_EQ(run.samples(), (std::vector<int>{20, 80}));
  first = 1;
  run.run(200);
  EXPECT_EQ(run.samples(), (std::vector<int>{50, 50}));
}

// Times 1.04 and 1: mean 1.02, the batches would move by 1.9 and 2 %.
TEST(DynamicBatch, StaysWithinTheDeadBand) {
  EXPECT_EQ(dynamic_job(every(5), {1000, 1000}, affine({1.04, 1})).run(100).changes(), 0);
  auto keen = every(5);
  keen.dead_band = 0.0199;
  EXPECT_EQ(dynamic_job(keen, {1000, 1000}, affine({1.04, 1})).run(100).changes(), 1);
}

// One of four is 1.5 times slower: mean 1.125, it would shrink by 25 %, the others grow by 12.5 % (and 11 %
// of their new batch).
TEST(DynamicBatch, ADeadBandForEachWorkerLeavesTheOthersWhatTheyHave) {
  auto settings = every(5);
  settings.normalise = false;
  settings.dead_band_of = DeadBand::each_worker;
  settings.dead_band = 0.2;
  BatchingJob run = dynamic_job(settings, {300, 300, 300, 300}, affine({1.5, 1, 1, 1}));
  run.run(6);
  EXPECT_EQ(run.samples(), (std::vector<int>{225, 300, 300, 300}));
  settings.dead_band_of = DeadBand::any_worker;
  BatchingJob all = dynamic_job(settings, {300, 300, 300, 300}, affine({1.5, 1, 1, 1}));
  all.run(6);
  EXPECT_EQ(all.samples(), (std::vector<int>{225, 338, 338, 338}));
}

TEST(DynamicBatch, KeepsTheBounds) {  // as OmniLearn: 16 to 96
  BatchingJob run = dynamic_job(every(5), {32, 32, 32, 32}, affine({30, 30, 10, 1}), {16, 96, {}});
  run.run(300);
  EXPECT_EQ(run.sum(), 128);
  for (const int samples : run.samples()) {
    EXPECT_GE(samples, 16);
    EXPECT_LE(samples, 96);
  }
}

// Beyond 80 samples the second worker's memory is full and a sample costs ten times as much: grown from 60 to
// more, its throughput falls, and 60 is its bound from then on.
TEST(DynamicBatch, AThroughputThatFellAfterGrowingSetsABound) {
  const auto cliff = [](std::uint32_t worker, int samples) {
    const double full = std::max(0, samples - 80);
    return (worker == 0 ? 3.0 * samples : samples + 9 * full) * 1e-3;
  };
  BatchingJob run = dynamic_job(every(5), {60, 60}, cliff);
  run.run(6);
  EXPECT_EQ(run.samples(), (std::vector<int>{30, 90}));
  run.run(5);
  EXPECT_EQ(run.samples(), (std::vector<int>{60, 60}));
  run.run(100);
  EXPECT_EQ(run.samples(), (std::vector<int>{60, 60}));
  EXPECT_EQ(run.changes(), 2);
  auto without = every(5);
  without.learn_max = false;
  EXPECT_GT(dynamic_job(without, {60, 60}, cliff).run(11).samples()[1], 60);
}

TEST(DynamicBatch, ATimeThatOnlyWandersSetsNoBound) {
  int step = 0;
  auto settings = every(5);
  BatchingJob run = dynamic_job(settings, {60, 60}, [&](std::uint32_t worker, int samples) {
    return (worker == 0 ? 3 : 1) * samples * (1 + 0.02 * (++step % 3 - 1)) * 1e-3;
  });
  run.run(200);
  EXPECT_NEAR(run.samples()[1], 90, 3);
}

TEST(DynamicBatch, LooksOnlyAfterSoManySteps) {
  BatchingJob run = dynamic_job(every(20), {60, 60}, affine({3, 1}));
  run.run(20);
  EXPECT_EQ(run.changes(), 0);
  EXPECT_TRUE(run.step());
}

// With K_i = 1 the first look acts on tau + 1 tau: Delta is doubled. 60 - (60/6)(6 - 4) 2 = 20 as printed.
TEST(DynamicBatch, AnIntegralGainActsOnTheSumOfErrors) {
  auto settings = every(1);
  settings.normalise = false;
  settings.integral = 1;
  BatchingJob run = dynamic_job(settings, {60, 60}, [](std::uint32_t worker, int samples) {
    return (worker == 0 ? 6.0 : 2.0) * samples / 60;
  });
  run.run(2);
  EXPECT_EQ(run.samples(), (std::vector<int>{20, 180}));
}

// Times of 5 and 3, errors of 1, stay within a dead-band of 50 %. Then 6 and 2: the error is 2 and has grown
// by 1, so that Delta is -(60/6)(2 + 1) = -30 and +(60/2)(2 + 1) = 90.
TEST(DynamicBatch, ADerivativeGainActsOnTheChangeOfTheError) {
  double slow = 5;
  auto settings = every(1);
  settings.normalise = false;
  settings.smoothing = 1;
  settings.derivative = 1;
  settings.dead_band = 0.5;
  BatchingJob run = dynamic_job(settings, {60, 60},
                                [&](std::uint32_t worker, int) { return worker == 0 ? slow : 8 - slow; });
  run.run(2);
  EXPECT_EQ(run.changes(), 0);
  slow = 6;
  run.step();
  EXPECT_EQ(run.samples(), (std::vector<int>{30, 150}));
}

TEST(DynamicBatch, GoesOnWithThoseWhoAreLeft) {
  const auto policy = std::make_unique<DynamicBatch>(every(1), BatchBounds{});
  const auto seen = [](std::uint32_t worker, int samples, double time) {
    return WorkerObservation{worker, samples, netmodels::Seconds{time}, 1, {}};
  };
  const std::vector<WorkerObservation> three{seen(0, 60, 1), seen(1, 60, 1), seen(2, 60, 1)};
  EXPECT_FALSE(policy->decide({1, 0, three}));
  const std::vector<WorkerObservation> two{seen(0, 60, 1), seen(2, 60, 3)};
  const auto decided = policy->decide({2, 0, two});
  ASSERT_TRUE(decided);
  EXPECT_EQ(decided->size(), 2U);
  EXPECT_EQ((*decided)[0] + (*decided)[1], 120);
}

}  // namespace
}  // namespace policies
