// Steps by hand: overlap, slow-down by overlap, compression, slow workers, and parts that add up.
#include "sim/engine/step_model.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using netmodels::Seconds;

/// 5 ms on the host, 40 ms forward, 80 ms backward with a bucket every 20 ms, 1 ms optimizer; no compression.
ComputePlan four_buckets() {
  return {5_ms, 40_ms, 80_ms, 1_ms, {20_ms, 40_ms, 60_ms, 80_ms}, std::vector<Seconds>(4)};
}

PriceBucket always(Seconds price) {
  return [price](std::size_t, Seconds) -> netmodels::Result<Seconds> { return price; };
}

StepTimes played_steps(const ComputePlan& plan, const OverlapRule& rule, const PriceBucket& price,
                       double slowest = 1, double mean = 1) {
  StepTimes times;
  EXPECT_TRUE(play_step(plan, rule, slowest, mean, price, times).has_value());
  return times;
}

void expect_parts(const Parts& parts, double compute, double wait, double compress, double exchange) {
  EXPECT_NEAR(parts.compute.count, compute, 1e-14);
  EXPECT_NEAR(parts.wait.count, wait, 1e-14);
  EXPECT_NEAR(parts.compress.count, compress, 1e-14);
  EXPECT_NEAR(parts.exchange.count, exchange, 1e-14);
}

TEST(PlayStep, WithoutOverlapAllExchangesFollowTheBackwardPass) {  // 125 ms, 4 x 6 ms, 1 ms
  const StepTimes times = played_steps(four_buckets(), {false, 0}, always(6_ms));
  EXPECT_NEAR(times.duration.count, 0.150, 1e-14);
  expect_parts(times.parts, 0.126, 0, 0, 0.024);
  EXPECT_NEAR(times.buckets[2].exchange.count, 0.137, 1e-14);
  EXPECT_NEAR(times.backward_end.count, 0.125, 1e-14);
}

TEST(PlayStep, OverlapHidesAllButTheLastBucket) {
  const StepTimes times = played_steps(four_buckets(), {true, 0}, always(6_ms));
  EXPECT_NEAR(times.duration.count, 0.132, 1e-14);
  expect_parts(times.parts, 0.126, 0, 0, 0.006);
  EXPECT_NEAR(times.exchange_busy.count, 0.024, 1e-14);
  EXPECT_NEAR(times.buckets[1].exchange.count, 0.085, 1e-14);
}

TEST(PlayStep, BucketsQueueWhileTheNetworkIsBusy) {  // 65 ms, then 4 x 66 ms in a row
  const StepTimes times = played_steps(four_buckets(), {true, 0}, always(66_ms));
  EXPECT_NEAR(times.duration.count, 0.065 + 4 * 0.066 + 0.001, 1e-14);
  expect_parts(times.parts, 0.126, 0, 0, 0.329 - 0.125);
  EXPECT_NEAR(times.buckets[3].ready.count, 0.125, 1e-14);
  EXPECT_NEAR(times.buckets[3].exchange.count, 0.263, 1e-14);
}

TEST(PlayStep,
     ComputingSlowsDownWhileAnExchangeRuns) {  // each hidden exchange of 6 ms does 4 ms of work at 1/1.5
  const StepTimes times = played_steps(four_buckets(), {true, 0.5}, always(6_ms));
  EXPECT_NEAR(times.buckets[1].ready.count, 0.087, 1e-14);
  EXPECT_NEAR(times.backward_end.count, 0.131, 1e-14);
  EXPECT_NEAR(times.duration.count, 0.138, 1e-14);
  expect_parts(times.parts, 0.132, 0, 0, 0.006);
}

TEST(PlayStep, AnExchangeWithoutEndSlowsTheRestOfTheBackwardPass) {  // 60 ms of work left take 90 ms
  const StepTimes times = played_steps(four_buckets(), {true, 0.5}, always(1_s));
  EXPECT_NEAR(times.backward_end.count, 0.065 + 0.090, 1e-14);
}

TEST(PlayStep, SlowdownMeansNothingWithoutOverlap) {
  EXPECT_NEAR(played_steps(four_buckets(), {false, 0.5}, always(6_ms)).duration.count, 0.150, 1e-14);
}

TEST(PlayStep, AllWaitForTheSlowestWorker) {  // 2 x 126 ms; the mean worker computes 1.25 x 126 ms
  const StepTimes times = played_steps(four_buckets(), {false, 0}, always(6_ms), 2, 1.25);
  EXPECT_NEAR(times.duration.count, 0.276, 1e-14);
  expect_parts(times.parts, 0.1575, 0.0945, 0, 0.024);
}

TEST(PlayStep,
     CompressionGoesBeforeItsExchangeAndHidesAsItDoes) {  // 3 ms + 6 ms; the last bucket of four is seen
  ComputePlan plan = four_buckets();
  plan.compress = std::vector<Seconds>(4, 3_ms);
  const StepTimes times = played_steps(plan, {true, 0}, always(6_ms));
  EXPECT_NEAR(times.buckets[0].exchange.count, 0.068, 1e-14);
  EXPECT_NEAR(times.duration.count, 0.135, 1e-14);
  expect_parts(times.parts, 0.126, 0, 0.003, 0.006);
}

TEST(PlayStep,
     APartOfAnExchangeMayBeHidden) {  // bucket 4 waits for bucket 3, which ends 5 ms after the backward pass
  const StepTimes times = played_steps(four_buckets(), {true, 0}, always(25_ms));
  EXPECT_NEAR(times.duration.count, 0.065 + 0.100 + 0.001, 1e-14);
  EXPECT_NEAR(times.parts.exchange.count, 0.040, 1e-14);
}

TEST(PlayStep, PricesAreAskedInOrderForTheMomentOfTheStart) {
  std::vector<double> asked;
  (void)played_steps(four_buckets(), {true, 0},
                     [&](std::size_t bucket, Seconds start) -> netmodels::Result<Seconds> {
                       EXPECT_EQ(bucket, asked.size());
                       asked.push_back(start.count);
                       return 30_ms;
                     });
  ASSERT_EQ(asked.size(), 4U);
  for (std::size_t bucket = 0; bucket < 4; ++bucket)
    EXPECT_NEAR(asked[bucket], 0.065 + 0.030 * static_cast<double>(bucket), 1e-14);
}

TEST(PlayStep, WithoutBucketsIsComputingAlone) {
  const StepTimes times = played_steps({5_ms, 40_ms, 80_ms, 1_ms, {}, {}}, {true, 0.5}, always(6_ms));
  expect_parts(times.parts, 0.126, 0, 0, 0);
}

TEST(PlayStep, HandsOnTheErrorOfAnExchangeThatCannotBePriced) {
  StepTimes times;
  const auto refused = play_step(
      four_buckets(), {}, 1, 1,
      [](std::size_t, Seconds) -> netmodels::Result<Seconds> {
        return netmodels::refuse("network", "no", "yes");
      },
      times);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().text(), "network: no; yes");
}

TEST(PlayStep, RandomStepsEndWithTheirLastBucketOrTheirComputing) {
  std::mt19937 random(1);
  const auto draw = [&](double most) {
    return Seconds{most * (static_cast<double>(random()) / 4294967296.0)};
  };
  for (int count = 0; count < 2000; ++count) {
    ComputePlan plan{draw(1e-2), draw(0.1), {}, draw(1e-2), {}, {}};
    for (std::uint64_t bucket = random() % 6; bucket > 0; --bucket) {
      plan.backward += draw(0.1);
      plan.ready.push_back(plan.backward);
      plan.compress.push_back(draw(1e-2));
    }
    plan.backward += draw(0.05);  // layers without parameters at the front
    const OverlapRule rule{random() % 2 == 0, random() % 2 == 0 ? 0.0 : draw(2).count};
    const double mean = 1 + draw(1).count;
    const StepTimes times = played_steps(
        plan, rule, [&](std::size_t, Seconds) { return netmodels::Result<Seconds>(draw(0.2)); },
        mean + draw(1).count, mean);
    const Seconds last = times.buckets.empty() ? Seconds{} : times.buckets.back().end;
    const double optimizer = (times.parts.compute + times.parts.wait - times.backward_end).count;
    EXPECT_NEAR(times.duration.count, std::max(last, times.backward_end).count + optimizer,
                1e-12 * times.duration.count);
    EXPECT_NEAR(times.parts.total().count, times.duration.count, 1e-12 * times.duration.count);
    EXPECT_GE(times.parts.wait.count, -1e-15);
    EXPECT_LE(times.parts.exchange.count, times.exchange_busy.count * (1 + 1e-12));
  }
}

}  // namespace
}  // namespace sim::engine
